// The specification as sentences with ids: tests cite them (`proves(id, …)`), and docs/gaps.md lists those that the contract left open.

export interface Requirement {
  id: string
  says: string
  /** Where the contract leaves it open: the question, so that `says` is our answer, and the file that holds it. */
  gap?: { question: string; file: string }
}

const sentences = [
  // The contract as a whole
  {
    id: 'contract.fixed',
    says: 'Fixed operations have the method, path, query names, status and wrapper of operations.json, to the letter.',
  },
  {
    id: 'openapi.complete',
    says: 'Every operation documents all seven error statuses, the rate-limit headers and, when it mutates, the idempotency key.',
  },
  { id: 'openapi.examples', says: 'Every example in the OpenAPI document fits the schema beside it.' },
  { id: 'openapi.boundedUrls', says: 'Every address in a request body has at most 2,048 characters.' },
  {
    id: 'openapi.served',
    says: 'The document is served at /openapi.json and /v2/openapi.json, the reference at /docs from our own origin, texts for models at /llms.txt and /llms-full.txt.',
  },
  {
    id: 'docs.samples',
    says: 'The served document shows every operation as a call of the SDK that compiles and as a command line that is understood.',
  },
  {
    id: 'docs.models',
    says: '/llms.txt names every operation with its method of the SDK; /llms-full.txt also has its fields, its answer and its calls.',
  },
  {
    id: 'fuzz.document',
    says: 'Requests made from the served document, valid or not, never get a 5xx, an undocumented status or an answer off its schema.',
  },
  {
    id: 'fuzz.raw',
    says: 'What is no proper HTTP gets a 400 in the error shape or a closed connection, and harms nobody else.',
  },
  // The npm package
  {
    id: 'packed.files',
    says: 'The npm package has JavaScript, migrations and templates, exact versions and no install script; no sources, tests, secrets or paths of a machine.',
  },
  {
    id: 'packed.runs',
    says: 'The npm package runs outside of a checkout under any Node from 18 on: `runyard` starts the service on the .runyard of the current folder or the nearest one above.',
  },
  // Artifacts
  {
    id: 'artifacts.make',
    says: 'A message becomes a page, made by a run of the engine that no list of runs shows unasked.',
  },
  {
    id: 'artifacts.noModel',
    says: 'Without a model, a message without steps is answered by a question that offers the built-in pages.',
  },
  {
    id: 'artifacts.refused',
    says: 'Steps, templates and connections that cannot be used are refused when they are sent, all problems at once.',
  },
  {
    id: 'artifacts.change',
    says: 'Each change of a page is a revision; while something works on the artifact, another change is a 409.',
  },
  { id: 'artifacts.oneWork', says: 'One run works on an artifact at a time, whatever comes at once.' },
  {
    id: 'artifacts.keepsLast',
    says: 'A page is shown whole or not at all: work that fails or is stopped leaves the last good page.',
  },
  {
    id: 'artifacts.refresh',
    says: 'A refresh runs the steps of the current page again, without a model, and replaces its data.',
  },
  {
    id: 'artifacts.refreshFails',
    says: 'A refresh that fails is reported in refresh_error, and the last good page stays.',
  },
  { id: 'artifacts.leavers', says: 'Artifacts of a member who has left the team are not refreshed by the clock.' },
  {
    id: 'artifacts.refreshOnce',
    says: 'A due refresh happens once over any number of processes; while something works on the artifact it is skipped.',
  },
  {
    id: 'artifacts.killed',
    says: 'Processes that die while a page is made cost time only: in the end it is whole, or failed with a reason.',
  },
  {
    id: 'artifacts.chat',
    says: 'A model reads, saves and changes the page with tools; what it saves is checked and run like what a person sends.',
  },
  { id: 'artifacts.export', says: 'An artifact is exported as html, pdf, csv, xlsx and md: whole files with a name.' },
  {
    id: 'artifacts.canary',
    says: 'No secret of a connection is found in clear in the page of an artifact, its revisions and its exports.',
  },
  { id: 'artifacts.look', says: 'A model sees a picture of the page where there is a browser.' },
  { id: 'artifacts.ownTools', says: 'The tools of pages work in runs of artifacts only.' },
  { id: 'artifacts.pictures', says: 'Each change of a page gets a picture in the background, tried three times.' },
  {
    id: 'artifacts.branches',
    says: 'A restore makes no revision: an earlier one becomes the current one, and nothing is lost. A change of a revision that is not the newest has the version of that one as restored_from_version. The chat has the messages that led to the current page.',
    gap: {
      question: 'Does a restore make a revision? What is restored_from_version of a revision?',
      file: 'server/src/features/artifacts/restoreArtifactRevision.ts',
    },
  },
  {
    id: 'artifacts.guide',
    says: 'The page in the guide to artifacts can be made as it stands there, and shows what the guide says.',
  },
  {
    id: 'artifacts.explains',
    says: 'A person who makes a page learns what is missing: why there is no page, and what a page cannot show.',
  },
  { id: 'artifacts.connections', says: 'A connection is attached once; the steps may use what is attached.' },
  {
    id: 'artifacts.copy',
    says: 'A copy is private and idle: it has the page, and neither chat, sharing nor connections.',
  },
  {
    id: 'artifacts.delete',
    says: 'A deleted artifact is gone with its pages, messages and public URL; work on it is stopped.',
  },
  {
    id: 'artifacts.actsFor',
    says: 'Work on an artifact acts for everybody who has changed it, so nobody gets the private connection of another used.',
  },
  {
    id: 'artifacts.approvals',
    says: 'Where a call of an artifact’s work is held back, or nobody knows whether it happened, or a limit is reached, only who may answer approvals answers, and says which request is meant.',
  },
  { id: 'artifacts.runs', says: 'Who may only view an artifact cannot stop, answer or delete its runs.' },
  {
    id: 'artifacts.bounds',
    says: 'What an artifact holds and takes is bounded: its chat in lists, its pages, its revisions, and what they store.',
  },
  {
    id: 'artifacts.plans',
    says: 'Lists and claims of artifacts are answered by their indexes, however many artifacts there are.',
  },
  { id: 'artifacts.private', says: 'A private artifact exists for its creator only.' },
  {
    id: 'artifacts.team',
    says: 'A shared artifact is read by the team, and changed by it with the permission to edit.',
  },
  {
    id: 'artifacts.public',
    says: 'A public artifact is read by anybody who has its URL; a URL that was taken back never works again.',
  },
  // Requests
  {
    id: 'schemas.builder',
    says: 'The schemas of the API are declared with functions of our own, which make the JSON Schema that TypeBox makes. None has uniqueItems.',
  },
  { id: 'kit.typed', says: 'An undeclared error or event, a wrong answer or an unknown resource does not compile.' },
  {
    id: 'files.answered',
    says: 'An operation may answer a file: with its type, length and a safe name, never cached, charged to the team, refused in JSON.',
  },
  { id: 'tests.typed', says: 'A test that sends or reads a field that its operation does not have does not compile.' },
  // The SDK
  {
    id: 'sdk.fresh',
    says: 'Every operation has one method in the SDK, and the generated files are those of the declarations.',
  },
  { id: 'sdk.waits', says: 'A run can be started and waited for, over broken connections and restarts of the server.' },
  {
    id: 'sdk.errors',
    says: 'A refusal is an error of its status, with the code, the sentence and the request id of the server.',
  },
  { id: 'sdk.keys', says: 'Every mutating call has an idempotency key, which its retries keep.' },
  {
    id: 'sdk.retries',
    says: 'Broken connections, 5xx and 429 are tried again, after the time that the server asks for; other refusals are not.',
  },
  {
    id: 'sdk.timeouts',
    says: 'A call that takes too long and a call that the caller ends fail with errors of their own.',
  },
  { id: 'sdk.lists', says: 'A list gives every row once, over as many pages as there are.' },
  { id: 'sdk.streams', says: 'A stream resumes after a broken connection, and loses and repeats no event.' },
  { id: 'sdk.people', says: 'A wait ends where a person is needed, unless the caller answers.' },
  { id: 'sdk.webhooks', says: 'Only a body that a given secret signed a short while ago is an event.' },
  {
    id: 'sdk.packed',
    says: 'The packed SDK has no dependency, compiles with TypeScript 5 and 7, runs in Node 18 to 24 and in Chromium, and is at most 25 KB.',
  },
  { id: 'sdk.session', says: 'In a page, the SDK works with the cookie of a session and sends no key.' },
  { id: 'sdk.recipes', says: 'Every recipe in the README of the SDK runs as it stands there.' },
  {
    id: 'sdk.receivers',
    says: 'The receivers for Express, Fastify, Hono and Next take a real delivery and refuse what the secret did not sign.',
  },
  { id: 'sdk.files', says: 'Files go up and come down by signed URLs, as bytes, streams or paths, with progress.' },
  // The command line's commands for agents as files, cases, events and sandboxes
  { id: 'cli.run', says: 'A run is started from the command line with its input; data alone goes to stdout.' },
  {
    id: 'cli.exit',
    says: 'The exit code of a command says how the run ended, that a person is needed, or that it could no longer be followed.',
  },
  { id: 'cli.json', says: 'What commands print with --json fits the schemas of the API.' },
  { id: 'cli.harmless', says: 'Text that others wrote cannot steer the terminal of the command line.' },
  { id: 'cli.terminal', says: 'In a terminal a run shows its steps as they happen, and a person answers with keys.' },
  {
    id: 'cli.live',
    says: 'The live view shows the steps of a run and of its sub-runs as a tree, with time, cost and waits, and fits the screen.',
  },
  {
    id: 'cli.forms',
    says: 'Forms and choices are answered at the terminal with keys; what does not fit is asked for again with the reason.',
  },
  { id: 'cli.interrupt', says: 'Ctrl-C leaves a run running, and says how to follow it.' },
  {
    id: 'cli.inbox',
    says: 'What waits for a person is listed and answered from the command line, by keys and by scripts.',
  },
  {
    id: 'cli.profiles',
    says: 'A key is checked before it is kept, in a file that only its owner can read, and goes to no other service.',
  },
  { id: 'cli.help', says: 'Every command has help with two real examples, in 80 columns.' },
  { id: 'cli.completion', says: 'Shells complete commands, options and operations from their declarations.' },
  { id: 'cli.call', says: 'Every operation is a command with its fields as flags.' },
  { id: 'cli.api', says: 'Any request can be sent from the command line with its credential.' },
  { id: 'cli.import', says: 'The rows of a file become cases once, also when the import is killed and started again.' },
  {
    id: 'cli.listen',
    says: 'Team events reach a local program once, in order and signed, also those of the time when nobody listened.',
  },
  {
    id: 'cli.dataDir',
    says: 'The data dir is the one that is set, else the nearest one upwards, else that of the checkout.',
  },
  { id: 'cli.dev', says: 'One command runs the service and listens to it; both end together, the listener first.' },
  { id: 'cli.agents', says: 'Agents go to files and from files to a team, byte for byte, with the plan shown first.' },
  {
    id: 'cli.alerts',
    says: 'Rules of alerts and their incidents are read and changed from the command line; agents are paused and resumed.',
  },
  {
    id: 'cli.suggestion',
    says: 'Suggestions are switched on, listed, shown, accepted and rejected from the command line.',
  },
  {
    id: 'cli.replay',
    says: 'Runs are recorded and builds replayed from the command line, whose exit code says whether something differs.',
  },
  { id: 'cli.deliveries', says: 'A sample event can be sent to webhooks; deliveries can be read and sent again.' },
  { id: 'cli.evidence', says: 'An evidence bundle is checked offline; the exit code is 0 only if all of it fits.' },
  {
    id: 'cli.sandbox',
    says: 'Files go into a sandbox and out of it, and a command in it gives its output and its exit code.',
  },
  {
    id: 'sql.parts',
    says: 'A value can only become a parameter; text of a statement comes only from templates in the code.',
  },
  {
    id: 'kit.transaction',
    says: 'A change, its events, its jobs, its audit row and its stored reply are one transaction.',
  },
  {
    id: 'database.ownStall',
    says: 'A process whose event loop was busy does not take its database for away: only the time in which it could have heard an answer counts.',
  },
  {
    id: 'database.connecting',
    says: 'When the database goes away, a statement that still waits for a connection fails as fast as one that has one.',
  },
  { id: 'kit.refusalChangesNothing', says: 'A refusal by a handler undoes everything that the handler did.' },
  {
    id: 'kit.deadlock',
    says: 'A transaction that PostgreSQL ends for a deadlock runs again, three times at most; the caller notices nothing.',
    gap: {
      question: 'What does a caller see of a deadlock between two requests?',
      file: 'server/src/kit/pipeline/pipeline.ts',
    },
  },
  {
    id: 'visibility.parent',
    says: 'A record below the wrong parent of the same team is the same 404 as one that does not exist.',
  },
  {
    id: 'requestId.echo',
    says: 'Every answer carries X-Request-Id: the caller’s when it is 1 to 128 visible ASCII characters, else a new one.',
    gap: { question: 'Which request ids are accepted?', file: 'server/src/kit/http.ts' },
  },
  {
    id: 'times.instant',
    says: 'A time is any ISO 8601 instant with an offset; a bare date is its midnight in UTC; a time without an offset is a 400.',
    gap: { question: 'Which spellings of a time are accepted?', file: 'server/src/kit/instant.ts' },
  },
  {
    id: 'paging.numbers',
    says: '`limit` and `offset` are decimal digits in the query and numbers in the answer.',
    gap: {
      question: 'Are `limit` and `offset` of a list’s answer numbers or strings?',
      file: 'server/src/kit/paging.ts',
    },
  },
  // Errors
  { id: 'errors.bug', says: 'A mistake of ours is a bare 500 that tells only the request id; the log has the rest.' },
  {
    id: 'errors.busy',
    says: 'A record that another request holds for more than 2 s is a 409 conflict.',
    gap: { question: 'What happens when a row is locked for long?', file: 'server/src/base/db.ts' },
  },
  {
    id: 'errors.method',
    says: 'A wrong method is a 405 `method_not_allowed` with Allow.',
    gap: { question: 'Which error code does a 405 carry?', file: 'server/src/base/errors.ts' },
  },
  { id: 'errors.route', says: 'An unknown path is a 404 in the error shape.' },
  { id: 'errors.tooLarge', says: 'A body over its cap is a 400 payload_too_large and is not read to its end.' },
  {
    id: 'errors.contentType',
    says: 'A body of another content type than JSON is a 400; one without a content type is read as JSON.',
    gap: { question: 'What happens to a body without a content type?', file: 'server/src/kit/http.ts' },
  },
  {
    id: 'bodies.depth',
    says: 'A JSON body that is nested deeper than 64 levels, or holds more than 500,000 objects and lists, is a 400 that its bytes decide.',
    gap: { question: 'How deeply may a body be nested?', file: 'server/src/base/jsonReader.ts' },
  },
  {
    id: 'bodies.pieces',
    says: 'A large JSON body is parsed in pieces, between which others are served; the value is the one that a parser of the whole gives. An object with more than 100,000 fields is a 400.',
  },
  {
    id: 'bodies.depthOutside',
    says: 'JSON from elsewhere (answers of tools, of MCP servers and of providers, arguments of a model, data of cases) is bounded in depth before it is parsed.',
  },
  {
    id: 'bodies.turns',
    says: 'In one process a team parses one large body at a time, in turns by credential; its large bodies hold at most 64 MiB before that, and those to its webhooks another 16 MiB, and none is refused for it. Bodies up to 16 KiB do not wait.',
    gap: { question: 'What may the bodies of one caller cost the others?', file: 'server/src/kit/bodyTurns.ts' },
  },
  {
    id: 'errors.databaseHangs',
    says: 'A database that is away or hangs is a 500 in the error shape within 2 s; /readyz turns red, /healthz stays green.',
  },
  {
    id: 'errors.everyProblem',
    says: 'A 400 names every problem of query and body at once; of very many it tells the first and counts the rest.',
  },
  {
    id: 'filters.honoured',
    says: 'Every documented query parameter of every reading operation changes the answer.',
  },
  // Other spellings
  {
    id: 'spellings.names',
    says: 'A field with another name (agentic_memory_enabled, reconnect_instance_id, webhook_url) is taken under either; two that differ are a 400.',
  },
  { id: 'spellings.null', says: 'recurring and source_build_id may be null, which counts as absent.' },
  {
    id: 'spellings.words',
    says: 'Filters take claimed for in_progress of cases, and interrupted, not_started and starting for stopped and pending of runs.',
  },
  {
    id: 'spellings.commas',
    says: 'One text with commas stands for the choices of a multi-select question and for statuses and priorities in a filter of cases.',
  },
  { id: 'spellings.label', says: 'A label without a key has an empty one.' },
  { id: 'spellings.provider', says: 'A provider’s name may be written without its hyphens.' },
  {
    id: 'connections.credentials',
    says: 'getConnectionCredentials tells which headers a connection sends and never a value; headers may come as two maps, which are sealed alike.',
  },
  // What runs are given
  {
    id: 'secrets.kept',
    says: 'A secret is a named set of variables, sealed at rest: answers have the names of its variables, never a value.',
  },
  {
    id: 'secrets.change',
    says: 'A change sets, renames and removes variables; what is left out stays. Names are unique in a team.',
  },
  {
    id: 'secrets.refused',
    says: 'Names that are no variables or that commands need themselves, and sets without a variable, are refused (400).',
  },
  {
    id: 'secrets.roles',
    says: 'Admins and operators write secrets (scope secrets:write); viewers read their names alone. A private secret is changed by its maker alone (403).',
  },
  {
    id: 'secrets.inBuilds',
    says: 'A build that names a secret which the team does not have, or a variable that the secret does not have, is refused when it is saved.',
  },
  {
    id: 'secrets.inCalls',
    says: 'Values of secrets are in the environment of commands and in calls that leave; what is stored of a call has their marks alone.',
  },
  {
    id: 'secrets.notForged',
    says: 'Only the text of a procedure names the secret of a call: no message, no result and no model can.',
    gap: {
      question: 'May a model write {{ secrets.NAME.KEY }} into a call?',
      file: 'server/src/engine/driving/hiddenValues.ts',
    },
  },
  {
    id: 'secrets.private',
    says: 'A private secret is given only to runs that act for its maker alone.',
  },
  {
    id: 'secrets.audit',
    says: 'The first use of a secret or a login by a run is in the audit log, with the run and the member for whom it began.',
  },
  {
    id: 'secrets.deleted',
    says: 'Deleting a secret, a login, a skill or a team file answers which agents used it; their calls then say what is missing.',
  },
  {
    id: 'evidence.links',
    says: 'Rows of evidence are linked: each link takes in the digest of its row and the link before.',
  },
  {
    id: 'evidence.archive',
    says: 'Every byte of an evidence bundle follows from its files, so whoever has them can write it again.',
  },
  { id: 'evidence.bounds', says: 'A bundle that could not be read again is never finished.' },
  { id: 'evidence.verify', says: 'A bundle that nobody changed is true, offline and with nothing but the file.' },
  {
    id: 'evidence.givenKeys',
    says: 'Whoever knows the keys of an installation can require them for everything that is signed in a bundle.',
  },
  {
    id: 'evidence.changes',
    says: 'Every change of a byte of a bundle is found, and the first problem names the row, file or part where it is.',
  },
  {
    id: 'evidence.rows',
    says: 'A row that was removed, moved, repeated or changed is named, or the first file or seal that it no longer fits.',
  },
  { id: 'evidence.seals', says: 'Seals hold the rows, the config and each other, whoever signed the manifest.' },
  {
    id: 'evidence.files',
    says: 'A file that was added, taken away, renamed, moved or exchanged in a bundle is named.',
  },
  {
    id: 'evidence.script',
    says: 'A script of at most 60 lines in another language finds the same from the documented format alone.',
  },
  { id: 'evidence.hostile', says: 'A hostile bundle is refused with a sentence, in bounded memory.' },
  {
    id: 'zip.read',
    says: 'An archive gives the files that were written into it, byte for byte, with what can be run.',
  },
  {
    id: 'zip.refused',
    says: 'An archive with a path that leads elsewhere, a link, a repeated name, an encrypted or damaged entry, or more than its bounds is refused as a whole.',
  },
  {
    id: 'teamFiles.kept',
    says: 'A team file is kept under its name; an upload of the same name replaces it, and no name is a file and a folder at once.',
  },
  {
    id: 'teamFiles.urls',
    says: 'Signed URLs take up to 1 GiB for a team file and give its bytes, without a credential.',
  },
  {
    id: 'teamFiles.once',
    says: 'An upload URL of a team file takes one successful PUT, and one at a time; a failed one can be tried again.',
  },
  {
    id: 'teamFiles.room',
    says: 'Bytes of a team file that cannot be kept are refused before they are sent; one that replaces another needs room only for the difference.',
  },
  { id: 'teamFiles.paths', says: 'The name of a team file is a relative path that leads nowhere else (400).' },
  {
    id: 'teamFiles.inRuns',
    says: 'Team files that a build names are in /files of the sandboxes of its runs, read-only, and read by team_file_read.',
  },
  { id: 'skills.upload', says: 'A zip archive with a SKILL.md becomes a skill; its download can be uploaded again.' },
  { id: 'skills.hostile', says: 'An archive with a hostile path changes nothing: no skill, no version, no file.' },
  {
    id: 'skills.frontMatter',
    says: 'SKILL.md begins with the name and the description of the skill; without them it is refused (400).',
  },
  {
    id: 'skills.versions',
    says: 'Every change of a skill makes a version; a build names the newest, or one by its number.',
  },
  {
    id: 'skills.inRuns',
    says: 'A run reads the skills of its build by skill_read and finds their files in /skills of its sandbox, read-only; scripts can be run.',
  },
  {
    id: 'skills.seen',
    says: 'A model sees the names and descriptions of the skills; their texts only when it reads them.',
  },
  {
    id: 'logins.kept',
    says: 'A login is sealed: answers have its domain and user name, never its password or seed. Another domain needs the password again.',
  },
  { id: 'logins.codes', says: 'One-time codes are those of RFC 6238, from a seed in base32 or an otpauth URL.' },
  {
    id: 'logins.domain',
    says: 'A login is for pages of exactly its host and port, or of all hosts below one, that come encrypted or from this machine.',
    gap: { question: 'Which pages are of the domain of a login?', file: 'server/src/base/pageDomain.ts' },
  },
  {
    id: 'logins.inBuilds',
    says: 'A build that names a login which the team does not have is refused when it is saved.',
  },
  { id: 'logins.browser', says: 'browser_login fills in user name, password and a one-time code, and sends them.' },
  {
    id: 'logins.elsewhere',
    says: 'browser_login fills nothing into a page of another domain, of a look-alike, or into a frame.',
  },
  {
    id: 'logins.hidden',
    says: 'Fields that a login filled are covered in pictures; where a page shows its password in its text, no picture is kept.',
  },
  {
    id: 'secrets.canary',
    says: 'No secret, password or OTP seed is found in clear in answers, messages, events, logs, requests of a model, files, pictures or the database.',
  },
  {
    id: 'secrets.backup',
    says: 'A backup, unpacked, has no secret, password, OTP seed, credential of a connection or key of a provider in clear.',
  },
  // Idempotency
  {
    id: 'idempotency.keyRange',
    says: 'An Idempotency-Key has 1 to 255 characters, any that a header can carry; UTF-8 counts by its characters.',
    gap: { question: 'Which characters may a key have?', file: 'server/src/kit/idempotency.ts' },
  },
  { id: 'idempotency.perTeam', says: 'A key belongs to its team and is bound to method, path with query, and body.' },
  {
    id: 'idempotency.perCredential',
    says: 'A key is bound to the credential that used it first, and to what that was granted: the same request by another credential, or by a token of the same client with other scopes, is a 409 `idempotency_key_reused`. So a secret that is shown once is shown again only to whoever was shown it.',
    gap: {
      question: 'What does another credential of the team get that repeats a keyed request?',
      file: 'server/src/kit/idempotency.ts',
    },
  },
  {
    id: 'idempotency.replayFirst',
    says: 'A replay stands before resolution and validation: a keyed DELETE sent again gets its stored answer.',
  },
  { id: 'idempotency.refusedBefore', says: 'A 400 and a 404 with a key are stored and replayed like any answer.' },
  {
    id: 'idempotency.ofRequest',
    says: 'A refusal of the caller, for a token that ended or for a scope that its role has lost, is not stored: whoever is let in again runs the request.',
    gap: {
      question: 'Is a 403 stored under the key when it came while the call was under way, or inside of an MCP message?',
      file: 'server/src/kit/pipeline/mutate.ts',
    },
  },
  { id: 'idempotency.serverErrorNotStored', says: 'A 5xx is not stored: the next try runs.' },
  {
    id: 'idempotency.inUse',
    says: 'A key whose first request still runs is waited for up to 2 s, then a 409 with Retry-After: 1.',
    gap: {
      question: 'Does a second request wait for the first, or is it refused at once?',
      file: 'server/src/kit/idempotency.ts',
    },
  },
  { id: 'idempotency.sealed', says: 'Stored replies are sealed at rest.' },
  { id: 'idempotency.day', says: 'A stored reply is given for 24 hours; then the key is free and swept away.' },
  {
    id: 'idempotency.outside',
    says: 'Operations that act outside hold a committed claim, renewed every 10 s, free 60 s after the last renewal.',
  },
  { id: 'idempotency.crowd', says: '100 concurrent requests with one key over two processes have one effect.' },
  {
    id: 'idempotency.killed',
    says: 'A process killed mid-request leaves its key free or its reply stored: the retry gets the one true answer.',
  },
  // Rate limit
  {
    id: 'rateLimit.headers',
    says: 'Every answer to a known caller has the limit, the remainder and the reset of the tighter of its two windows; a 429 adds Retry-After. With the limit off these headers are absent.',
    gap: {
      question: 'Which window do the headers show, and what when the limit is off?',
      file: 'server/src/kit/pipeline/pipeline.ts',
    },
  },
  { id: 'rateLimit.perCredential', says: 'A credential has its own window, its team one ten times as large.' },
  {
    id: 'rateLimit.strangers',
    says: 'Requests without a valid credential are counted by IP address (IPv6: by /64), with the same limit, after the look-up: they never delay a valid credential, a client that asks for its token, or a person who comes back from a provider.',
    gap: {
      question: 'How many requests may an IP address make without a credential?',
      file: 'server/src/kit/strangers.ts',
    },
  },
  {
    id: 'rateLimit.flood',
    says: 'Look-ups of unknown tokens share one statement at a time, and unknown tokens never push a known one out of memory.',
  },
  {
    id: 'rateLimit.proxies',
    says: 'Behind RUNYARD_TRUSTED_PROXIES the caller’s IP address is the rightmost of X-Forwarded-For that is not a trusted proxy; from anybody else the header is ignored.',
    gap: { question: 'Whose IP address counts behind a load balancer?', file: 'server/src/kit/callerAddress.ts' },
  },
  {
    id: 'rateLimit.window',
    says: 'Windows are the database’s clock minutes.',
    gap: { question: 'When does a window begin?', file: 'server/src/kit/rateLimit.ts' },
  },
  {
    id: 'rateLimit.shared',
    says: 'All processes share one window: admitted are at most limit × 1.01 + 3 and at least limit × 0.95.',
  },
  {
    id: 'rateLimit.refusalIsFree',
    says: 'A 429 writes nothing to the database, and a client that sleeps Retry-After is then admitted.',
  },
  // Credentials, members, audit
  { id: 'credentials.key', says: 'A key is ry_<team part>_<random>_<checksum>, shown once and stored as a hash.' },
  { id: 'credentials.checksum', says: 'A key with a wrong checksum is refused without asking the database.' },
  {
    id: 'credentials.grant',
    says: 'A key can grant no scope that its maker lacks; without `scopes` it gets those that maker and holder share.',
    gap: {
      question: 'Which scopes does a key get when none are asked for?',
      file: 'server/src/features/credentials/grant.ts',
    },
  },
  { id: 'credentials.revoked', says: 'A revoked key stops working everywhere within a second.' },
  { id: 'credentials.expiry', says: 'A key with an expiry stops working when it passes.' },
  {
    id: 'credentials.makersExpiry',
    says: 'No credential makes one that outlives it: without `expires_at` a key, and always an OAuth client, ends with the key or access token that made it; a later `expires_at` is a 400. A token ends with its client.',
    gap: {
      question: 'How long does what an expiring credential makes live?',
      file: 'server/src/features/credentials/grant.ts',
    },
  },
  {
    id: 'credentials.forOthers',
    says: 'With `keys:manage` a member makes keys for themselves; for another member it takes an admin’s credential with all scopes, and the audit entry names both. A role can be raised only by a credential that has every scope the role adds.',
    gap: {
      question: 'Who may make keys for others, and raise roles?',
      file: 'server/src/features/credentials/grant.ts',
    },
  },
  // The console
  {
    id: 'console.served',
    says: 'The console is at /, loads only from its own origin, runs nothing inline and stands in nobody’s frame.',
  },
  {
    id: 'console.assets',
    says: 'Assets of the console have names that change with their contents, are stored for ever by browsers and were compressed when it was built.',
  },
  {
    id: 'console.paths',
    says: 'A path that nothing serves gets the console in a browser, and JSON everywhere else and below the paths of the API.',
  },
  { id: 'console.stays', says: 'A process serves the console that it began with, whatever is built while it runs.' },
  {
    id: 'console.notifications',
    says: 'On a screen of their own members confirm their address, send a test mail, and choose what mails and browsers notify of.',
  },
  {
    id: 'console.alerts',
    says: 'Rules of alerts are tried, made and changed on a screen that shows open incidents with what is behind them; agents are paused and resumed.',
  },
  {
    id: 'console.tour',
    says: 'A tour leads newcomers through the demo, by keyboard too; who ended it is not asked again.',
  },
  {
    id: 'console.signIn',
    says: 'A link, an invitation or a key signs in at the address that was opened; who signs in again after the end of a session is back where they were.',
  },
  {
    id: 'console.overview',
    says: 'A newcomer runs the demo agent and answers it by clicks; the overview says what waits and failed, and its numbers lead there.',
  },
  {
    id: 'console.hostileText',
    says: 'Texts of strangers in titles, messages, results, Markdown, file names and cases are shown as texts: no script runs, nothing is asked of other servers.',
  },
  {
    id: 'console.models',
    says: 'On the page a team gives, tests and deletes its own keys of providers, and changes which models its agents may use and its default.',
  },
  { id: 'console.keys', says: 'On the page a new key is shown once, works, and no longer works after it was revoked.' },
  {
    id: 'console.run.live',
    says: 'The page of a run grows while the run works: steps, waits and its end appear by themselves, with the reason why it waits.',
  },
  {
    id: 'console.run.answer',
    says: 'What a run asks of people is answered on its page, where the run continues at once.',
  },
  {
    id: 'console.run.retry',
    says: 'A step shows what the ledger has of it; a retry from it says what it repeats and what that cost before it begins.',
  },
  {
    id: 'console.run.killed',
    says: 'When the process dies under an open page of a run, the page says that it reconnects, and then shows everything again.',
  },
  { id: 'console.run.keys', says: 'Everything on the page of a run is done by keys, each with a visible twin.' },
  {
    id: 'console.run.hostile',
    says: 'Titles, results, messages and file names of a run are text on its page and nothing else.',
  },
  {
    id: 'console.run.pieces',
    says: 'Events of a run have pages that the address names; a text of more than 200,000 characters is drawn in pieces on demand.',
  },
  { id: 'console.run.folding', says: 'The timeline says in words what a folding folded, and the step has its notes.' },
  { id: 'console.run.long', says: 'A run of 10,000 steps opens and scrolls with only the rows in sight on the page.' },
  {
    id: 'console.accessible',
    says: 'axe finds no serious or critical hindrance on any screen of the console, in both themes.',
  },
  {
    id: 'console.small',
    says: 'At 200 % zoom and at a width of 390 px no screen of the console scrolls sideways, and every action is reached.',
  },
  {
    id: 'console.role',
    says: 'A narrow role sees every screen without a refused request, and buttons that are not for it name the missing scope.',
  },
  {
    id: 'console.copyAs',
    says: 'What the page copies as curl or as a command line does the same in a shell, whatever its texts hold, and has no key in it.',
  },
  {
    id: 'console.longWork',
    says: 'Long work of the page continues after a reload, and in another tab if its own is closed, does everything once, and says what failed.',
  },
  {
    id: 'console.runsBulk',
    says: 'What is done to all runs that fit a filter is done to those of every page and to no other, after a dialog that says how many and which.',
  },
  {
    id: 'console.runsCsv',
    says: 'A CSV file of runs has exactly the runs that fit, and nothing in it is a formula.',
  },
  {
    id: 'console.runs',
    says: 'The list of runs has every filter and order of the API in its address: a reload, and whoever gets the address, sees the same.',
  },
  {
    id: 'console.runViews',
    says: 'Filters are saved as a view, for oneself or for the team, and a deleted view can be brought back.',
  },
  {
    id: 'console.runsStay',
    says: 'What is read in the list of runs does not move: new runs are offered, and a run that changes stays where it stands.',
  },
  { id: 'console.runKeys', says: 'Everything in the list of runs is done by keys; nothing ends by a single one.' },
  {
    id: 'console.queues',
    says: 'On the page a case is claimed, completed and read with its timeline; the board shows where every case is.',
  },
  {
    id: 'console.queues.drag',
    says: 'A card is dragged to another column, asks what the move needs, and can be taken back.',
  },
  { id: 'console.queues.case', says: 'A case is assigned, labelled, postponed and edited on its page.' },
  {
    id: 'console.queues.filters',
    says: 'Filters, order and page of cases are in the address, and views of them are saved.',
  },
  { id: 'console.queues.why', says: 'The page of a queue says why nothing moves and lets a paused trigger continue.' },
  { id: 'console.queues.keys', says: 'Cases are reached, claimed and selected by keys.' },
  {
    id: 'console.queues.bulk',
    says: 'A bulk action over 100,000 cases is started, watched, reloaded and stopped in the page, and its counts are exact.',
  },
  {
    id: 'console.queues.import',
    says: 'An import of 10,000 rows continues after a reload, and neither that nor a second import doubles a row.',
  },
  {
    id: 'console.agents.write',
    says: 'A procedure is written with what the service knows: words while one types, problems at their lines, and fixes; the draft is run by a form made from what it reads.',
  },
  {
    id: 'console.triggers',
    says: 'An agent’s triggers are made, changed, paused and deleted on its page, with the address to copy, what became of each delivery, and a replay.',
  },
  {
    id: 'console.agents.builder',
    says: 'The builder’s questions have pick lists, and its proposal shows secrets, logins, skills and triggers before a person accepts it.',
  },
  {
    id: 'console.agents.suggestions',
    says: 'A person switches suggestions on for an agent, reads the diff, the runs and the verdict of one, and accepts or rejects it.',
  },
  {
    id: 'console.agents.replay',
    says: 'A person records runs, replays a draft against them, and reads both sides of a run that differs.',
  },
  {
    id: 'console.agents.promote',
    says: 'Before a build is promoted or rolled back, the console says what changes and what the gate says.',
  },
  {
    id: 'console.clients',
    says: 'On the page a new OAuth client is shown once with a command that gets a token, and is refused after it was removed.',
  },
  {
    id: 'console.audit',
    says: 'The audit log is narrowed by operation, member and day in the address, and exported as CSV, also over a reload.',
  },
  {
    id: 'console.system',
    says: 'The page of the system shows processes, loops, pools, sizes and settings, and copies them without a secret; who may not see it is told why.',
  },
  {
    id: 'console.sandboxes',
    says: 'On the page files are uploaded to a sandbox, looked at, worked on with commands, and deleted; limits are bars.',
  },
  {
    id: 'console.sandboxes.resume',
    says: 'An upload and a command that are under way when the page is reloaded continue and end once.',
  },
  { id: 'console.startRun', says: 'A run is started from everywhere by a form, and its page opens.' },
  { id: 'console.runsHostile', says: 'Nothing that a tenant wrote breaks the list of runs, at any width.' },
  {
    id: 'console.given',
    says: 'Secrets, logins, skills and team files have lists beside the connections; what is secret is typed once and never shown.',
  },
  {
    id: 'console.connections',
    says: 'The console says what a connection breaks, replaces its key, and shows the runs that waited going on; no key is shown again.',
  },
  {
    id: 'console.connect',
    says: 'A server is tried, connected by OAuth and reconnected from the console; the browser comes back, and failures are in words.',
  },
  {
    id: 'console.connectionTools',
    says: 'Tools of a connection are compared with what was approved, and approved as they were read.',
  },
  {
    id: 'console.events',
    says: 'The console shows events, deliveries with every attempt by stage, and the health of receivers; it sends again, and changes no webhook.',
  },
  { id: 'console.notBuilt', says: 'Where the console is not built, the service works and / says how to get it.' },
  {
    id: 'console.build',
    says: 'npm start builds the console when its sources have changed, once for all who start at the same time, and a build that was cut off does not count.',
  },
  {
    id: 'console.dev',
    says: 'The page as Vite serves it for development works with a service, and pages of other ports do not.',
  },
  {
    id: 'console.artifacts',
    says: 'On the page of an artifact a person sees it in a sandboxed frame, selects an element of it and asks about that, and restores an earlier revision.',
  },
  {
    id: 'console.artifacts.share',
    says: 'An artifact is published by a link that works without signing in and ends when it is unpublished, and is exported as a file.',
  },
  {
    id: 'console.artifacts.asks',
    says: 'What the work on an artifact asks is answered in its chat, each question by itself and a call or a limit only by who may approve; a page that cannot be refreshed says why and stays.',
  },
  {
    id: 'console.evaluations',
    says: 'The page of evaluations shows days with promotions, builds, checks and the worst runs of an agent, each bar with its runs; people mark runs, and it says where they and the checks differ.',
  },
  {
    id: 'console.usage',
    says: 'The page of usage shows cost, tokens and runs by day, agent and model; each bar leads to the runs behind it, each limit says what happens at 100 %, and all of it is saved as CSV.',
  },
  // Signing in
  {
    id: 'signIn.cookie',
    says: 'A browser signs in by a cookie that scripts cannot read and other sites cannot send; its requests act as the member.',
  },
  {
    id: 'signIn.csrf',
    says: 'A request with the cookie is refused when another page may have caused it, and a mutating one without our own Origin or without X-Runyard-Client.',
  },
  { id: 'signIn.cookieOnly', says: 'A session works in its cookie alone, and never over MCP.' },
  {
    id: 'signIn.once',
    says: 'A link signs in once, also when many processes are asked at the same time, and for ten minutes.',
  },
  {
    id: 'signIn.first',
    says: 'Where the console is built, a start in a terminal shows a link that signs the first admin in.',
  },
  { id: 'signIn.open', says: 'runyard open makes a link that signs in once, and prints it.' },
  { id: 'signIn.noMore', says: 'Signing in with a key gives the scopes of that key and ends with it.' },
  {
    id: 'signIn.invite',
    says: 'An admin invites a member by a link of three days that leads to no right which the admin lacks.',
  },
  { id: 'signIn.source', says: 'A run that was started with a session says that it came from the console.' },
  { id: 'signIn.over', says: 'A revoked session, and that of a removed member, is dead everywhere within a second.' },
  {
    id: 'signIn.sliding',
    says: 'A session ends 12 hours after its last use and 7 days after it began, by the database’s clock.',
  },
  {
    id: 'signIn.audit',
    says: 'Signing in and out, links and revocations are in the audit log; no token is stored or logged.',
  },
  { id: 'signIn.bounded', says: 'What strangers send to sign in is bounded and counted by address.' },
  {
    id: 'signIn.oidc',
    says: 'With an OpenID Connect provider, a member is found by verified e-mail address or made with the set role; every failure is a sentence.',
  },
  {
    id: 'credentials.lastUsed',
    says: 'The last use of a credential is known to ten seconds; refused requests do not count.',
    gap: { question: 'How exact is the last-used time?', file: 'server/src/kit/credential.ts' },
  },
  {
    id: 'oauth.token',
    says: 'The client-credentials grant gives a one-hour token, by client_secret_basic or _post, narrowed by `scope`.',
  },
  { id: 'oauth.errors', says: 'The token endpoint answers with the errors of RFC 6749.' },
  { id: 'oauth.expiry', says: 'An access token is dead after its hour and swept away.' },
  { id: 'oauth.clientDeleted', says: 'Tokens are dead within a second of their client.' },
  { id: 'oauth.metadata', says: 'RFC 8414 and RFC 9728 metadata lead from a 401 to the token endpoint.' },
  { id: 'teams.get', says: 'A team shows its name, plan and how many members it has.' },
  { id: 'members.crud', says: 'Members are listed oldest first, with an exact total; `limit=0` gives only the total.' },
  {
    id: 'members.email',
    says: 'An email belongs to one member of a team, whatever its case: else 409 conflict.',
    gap: { question: 'May two members share an email?', file: 'server/src/features/teams/member.ts' },
  },
  {
    id: 'members.emailIsWayIn',
    says: 'An email is a way to sign in: giving one takes every scope of the member’s role.',
  },
  {
    id: 'members.roles',
    says: 'A role bounds its member’s credentials, at once when it changes: an operator has all scopes but keys:manage, webhooks:manage and connections:write; a viewer the read scopes and mcp:call.',
    gap: { question: 'Which scopes does each role allow?', file: 'server/src/kit/scopes.ts' },
  },
  {
    id: 'members.removed',
    says: 'A removed member’s credentials stop working within a second; the row stays so that what they did keeps its name.',
    gap: { question: 'What remains of a removed member?', file: 'server/src/features/teams/deleteMember.ts' },
  },
  {
    id: 'members.lastAdmin',
    says: 'A team keeps at least one admin: else 409 conflict.',
    gap: { question: 'May the last admin leave?', file: 'server/src/features/teams/member.ts' },
  },
  {
    id: 'audit.list',
    says: 'Every answered mutation has a row: who, credential, operation, target, request id, outcome; no secret.',
  },
  {
    id: 'audit.pieces',
    says: 'What one request stores piece by piece has an audit row for each piece, in its transaction: the request may end before its answer.',
  },
  {
    id: 'audit.refused',
    says: 'A mutation refused with a 4xx after the credential was accepted is audited too, with its error code.',
    gap: { question: 'Are refused mutations audited?', file: 'server/src/kit/audit.ts' },
  },
  {
    id: 'audit.filters',
    says: 'The log can be narrowed by operation, user_id, since and until.',
    gap: { question: 'How is the audit log searched?', file: 'server/src/features/auditLog/listAuditLog.ts' },
  },
  { id: 'audit.appendOnly', says: 'Audit rows can be neither changed nor deleted: a trigger refuses.' },
  {
    id: 'audit.swept',
    says: 'Audit rows are erased after 400 days, those of refused requests after 30; both are settings.',
    gap: { question: 'For how long is the audit log kept?', file: 'server/src/kit/sweepAudit.job.ts' },
  },
  {
    id: 'audit.refusalsBounded',
    says: 'For one credential 60 refusals a minute are audited one by one; one row counts the others.',
    gap: { question: 'How far can refused requests grow the audit log?', file: 'server/src/kit/refusals.ts' },
  },
  {
    id: 'plugins.catalog',
    says: 'The catalogue lists the built-in tool sets from the start, because configs name them; each lists the tools that this server can run, which come with their features.',
    gap: {
      question: 'What does the catalogue list?',
      file: 'server/src/features/plugins/listPluginCatalog.ts',
    },
  },
  // Process and database
  {
    id: 'health.ready',
    says: '/healthz is green while the process lives, /readyz while it also has its database and does not drain.',
  },
  {
    id: 'health.zone',
    says: '/readyz tells the zone of its process (RUNYARD_ZONE); with ?zone= it is green only if the process is of one of these zones.',
    gap: { question: 'How does a load balancer prefer a zone?', file: 'server/src/features/health/readiness.ts' },
  },
  {
    id: 'health.near',
    says: '/readyz?near=database is green only in the zone that the server of the database says it is in (runyard.zone); without the question no zone matters.',
  },
  {
    id: 'health.metricsOnce',
    says: '/metrics is collected at most once a second; with RUNYARD_METRICS_TOKEN, a request without that token is a 401.',
    gap: { question: 'Who may read /metrics, and how often?', file: 'server/src/features/health/metricsRoute.ts' },
  },
  {
    id: 'docs.once',
    says: 'The OpenAPI document, the reference and /llms.txt are made and compressed once, with an ETag and a 304 for whoever has them.',
  },
  { id: 'health.metrics', says: '/metrics counts requests by operation and status.' },
  {
    id: 'texts.once',
    says: 'A message of more than 64 KiB is stored once, however many rows name it, and whoever reads it gets all of it; events carry its beginning.',
    gap: { question: 'How often is a large message stored?', file: 'server/src/engine/ledger/largeTexts.ts' },
  },
  { id: 'texts.order', says: 'Two transactions that write the same large texts in opposite orders do not deadlock.' },
  {
    id: 'texts.erased',
    says: 'A large message counts as stored while its run is there, and its bytes are erased within a day of the run.',
  },
  {
    id: 'replies.pieces',
    says: 'A long reply is written and sent in pieces, between which others are served; it arrives whole, with its length.',
  },
  {
    id: 'lists.countedAhead',
    says: 'The audit log and deliveries are counted to 10,000 beyond the page; whoever goes through all pages meets every row.',
    gap: { question: 'How exact is the total of a very long list?', file: 'server/src/kit/paging.ts' },
  },
  {
    id: 'lists.bytes',
    says: 'A page of a list holds about 4 MiB at most: from the row on that exceeds it, long texts are cut with a mark and `truncated: true`. The first row of a page, and a row that is read by its id, is whole.',
    gap: { question: 'How large may the page of a list be?', file: 'server/src/kit/pageBytes.ts' },
  },
  {
    id: 'growth.told',
    says: '/metrics and runyard doctor say what grows: bytes, rows and the oldest of runs, events, blobs, cases, the audit log and others.',
  },
  {
    id: 'outbound.setting',
    says: 'Only RUNYARD_ALLOW_PRIVATE_HOSTS opens the outbound guard to addresses that are not public.',
  },
  {
    id: 'outbound.corpus',
    says: 'No address of the corpus (over 300 in over 20 families, rebinding names among them) is connected to.',
  },
  {
    id: 'visibility.body',
    says: 'An id in a body that names nothing visible is a 404, the same for a record of another team.',
  },
  { id: 'config.defaults', says: 'Without settings the service runs on 127.0.0.1:4700 with everything embedded.' },
  {
    id: 'config.allProblems',
    says: 'All bad settings are named at once, without repeating a secret, and the process exits 78.',
  },
  {
    id: 'config.unknown',
    says: 'The log reports a RUNYARD_ name that is not a setting.',
    gap: { question: 'What happens to a misspelled setting?', file: 'server/src/base/config.ts' },
  },
  {
    id: 'connections.private',
    says: 'A private connection is used only while everybody whom a run acts for is its maker: not after messages or answers of others, not in their starts, retries, cases, schedules or builds that fire by themselves, not through sub-runs, and not for a maker who has left; an approval by somebody else does not count as a use of theirs.',
    gap: { question: 'Who may cause a turn with a private connection?', file: 'server/src/engine/ledger/actsFor.ts' },
  },
  {
    id: 'connections.privateTools',
    says: 'Tools of a connection that a run may not use say so when they are called.',
  },
  {
    id: 'connections.privateDoor',
    says: 'A private connection is tested, changed, shared and authorised again by its maker alone (403).',
  },
  {
    id: 'runs.pinned',
    says: 'A run follows the config it began with, also of a draft that has changed since then, after its end too; an approval is carried out with exactly that.',
  },
  { id: 'runs.pinnedKept', says: 'The config of a draft is kept as long as a run follows it.' },
  { id: 'runs.liveKept', says: 'The config of a build that is or was live cannot change.' },
  {
    id: 'approvals.connection',
    says: 'An approval does not count for a connection that got another URL or credential since it was asked for: the call is not made, and a person is asked again with what changed.',
    gap: { question: 'What does `action.hash` cover?', file: 'server/src/engine/driving/approvedCall.ts' },
  },
  { id: 'approvals.name', says: 'An approval does not count for another connection of the same name.' },
  {
    id: 'approvals.tool',
    says: 'An approval does not count for a tool that its server changed since it was asked for.',
  },
  {
    id: 'connections.firstList',
    says: 'A run that begins before the tools of its connection were ever listed lists them first; of all runs and processes one asks.',
  },
  {
    id: 'connections.firstListDeath',
    says: 'A process that dies while it asks for a first list holds it up for its lease at most.',
  },
  {
    id: 'connections.firstListFails',
    says: 'Calls of tools that could not be listed say why, and a server that fails is not asked again for 15 s.',
  },
  {
    id: 'connections.firstListRefused',
    says: 'A run waits for a connection that is refused before its tools were ever listed, and continues when it is fixed.',
  },
  {
    id: 'connections.invalidToken',
    says: 'A token that is refused as invalid_token less than a minute after its renewal is renewed once more; refused again, the run waits for the connection.',
  },
  {
    id: 'redaction.data',
    says: 'Data that only looks like a secret stays as it came, in results, messages, outputs and what a judge reads; only values that the connections of a run hold are cut out of it, whichever call brings them back.',
  },
  { id: 'log.redacted', says: 'Nothing that looks like one of our secrets reaches the log.' },
  {
    id: 'log.databaseAway',
    says: 'That the database went away is logged once: what every loop says about it afterwards is shown at the level debug alone.',
  },
  { id: 'log.readable', says: 'In a terminal the log is text that people can read; programs get JSON.' },
  { id: 'secrets.sealed', says: 'Secrets at rest are sealed with AES-256-GCM, bound to key and purpose.' },
  { id: 'migrate.once', says: 'Migrations run once, whatever number of processes starts.' },
  {
    id: 'migrate.newer',
    says: 'A database newer than the code is refused unless it is one step newer, and so is one with edited migrations.',
  },
  {
    id: 'migrate.oneStep',
    says: 'A process of the release before starts on a newer schema, if every newer migration says that it works there.',
    gap: {
      question: 'Can I start the older version again after an upgrade?',
      file: 'server/src/base/olderCode.ts',
    },
  },
  {
    id: 'migrate.living',
    says: 'Migrations after which a living process could not work are refused, and nothing is changed.',
  },
  {
    id: 'migrate.silent',
    says: 'No migration is applied beside a living service that does not say which migrations it knows; commands, which never say it, hold up none.',
  },
  { id: 'migrate.declared', says: 'Every new migration says whether processes of the release before work after it.' },
  {
    id: 'migrate.check',
    says: '`runyard migrate --check` says what a migration would do, to which tables, and which other versions are alive, and changes nothing.',
  },
  {
    id: 'upgrade.sideBySide',
    says: 'Processes of the release before and of this one work side by side on the new schema: no request and no run fails, and no finished call is made again.',
  },
  {
    id: 'migrate.outside',
    says: 'A migration may run outside a transaction, statement by statement; after a kill it begins again, and an index that was left unfinished is built again.',
  },
  {
    id: 'migrate.unfinished',
    says: 'While a migration outside a transaction was begun and has not finished, a backup is refused and names the command that finishes it: it could not be restored.',
  },
  {
    id: 'migrate.large',
    says: 'An upgrade of a database with large tables locks none of them for long: indexes are built, and columns filled, while others work.',
    gap: {
      question: 'What happens to other processes while a large database is migrated?',
      file: 'server/src/base/migrate.ts',
    },
  },
  {
    id: 'migrate.givesWay',
    says: 'A migration that meets work which locks tables in another order gives way and begins again: no write of others fails for it.',
  },
  { id: 'migrate.atomic', says: 'A migration that fails leaves nothing of itself.' },
  { id: 'postgres.role', says: 'The runtime role is no superuser and runs the migrations itself.' },
  { id: 'postgres.external', says: 'An own PostgreSQL from version 15 on serves as well as the embedded one.' },
  {
    id: 'postgres.settings',
    says: 'Every session sets what our statements rely on, whatever the server, the database or the role has set.',
  },
  {
    id: 'postgres.shared',
    says: 'Processes on one data dir share its embedded server; the last one to leave stops it.',
  },
  {
    id: 'postgres.comesBack',
    says: 'An embedded server that was killed is started again by any process that finds it dead.',
  },
  {
    id: 'postgres.stopsWithIt',
    says: 'A service that gets SIGINT just after its embedded server was killed stops both, with exit code 0.',
  },
  {
    id: 'postgres.gone',
    says: 'A service that gets SIGTERM while its database is gone waits for it for some seconds, and then ends with exit code 0: others take its work.',
  },
  { id: 'durable.killed', says: 'What was acknowledged survives kill -9 of the service and its database.' },
  {
    id: 'postgres.standby',
    says: 'A standby counts as a database that is away: /readyz is red, requests get a 500 with Retry-After, and all continues after its promotion.',
  },
  {
    id: 'postgres.hosts',
    says: 'Several hosts in one DATABASE_URL are a replicated server: whichever takes writes is used, and is looked for again when it changes.',
  },
  {
    id: 'postgres.replaced',
    says: 'A process that knows of a promotion never goes back to a host from before it.',
  },
  {
    id: 'postgres.encrypted',
    says: 'With sslmode=verify-full the certificate of a server must have the name or the address of the host that it was asked for, of one host or of several.',
  },
  {
    id: 'postgres.proxy',
    says: 'A proxy that follows the primary does what several hosts do: one host in DATABASE_URL is enough, and a promotion is a pause.',
  },
  {
    id: 'postgres.promotion',
    says: 'A promoted standby is a pause: connections, presence, notifications and runs continue there, and nobody is declared dead by mistake.',
  },
  {
    id: 'postgres.synchronous',
    says: 'Commits that wait for a synchronous standby that is away are told in the log, by /readyz and by doctor, and acknowledged when it is back.',
  },
  {
    id: 'postgres.pooler',
    says: 'With DATABASE_POOL_URL every statement goes through a transaction pooler, and only locks, notifications, migrations and commands have sessions.',
  },
  {
    id: 'postgres.poolerNames',
    says: 'With DATABASE_POOL_STATEMENTS=named, statements keep their names through a pooler that knows them, and work whichever session they get.',
  },
  {
    id: 'postgres.poolerRefused',
    says: 'A pooler that cannot be used, and a DATABASE_URL that leads to one, are refused at the start with a sentence that says what to do.',
  },
  {
    id: 'postgres.writes',
    says: '/readyz is red while the database cannot write, on a full disk or read-only, and a refused write says so.',
  },
  {
    id: 'postgres.oneLoop',
    says: 'Whoever lost its connection comes back in one loop with growing pauses: a server that refuses us never has more than one connection of each.',
  },
  {
    id: 'errors.databaseAway',
    says: 'A database that is away is a 500 internal_error with Retry-After and a sentence that says so, on every path.',
  },
  {
    id: 'worker.engineRestarts',
    says: 'The job engine is started again when it ended by itself.',
  },
  {
    id: 'worker.lostCompletion',
    says: 'A job whose end could not be written ends neither the process nor waits for hours: it runs again within seconds.',
  },
  {
    id: 'process.restingMemory',
    says: 'A process that has rested for 20 s gives the memory back that it took under load and does not use.',
  },
  {
    id: 'process.rejections',
    says: 'An error that nothing caught is logged with its stack; the process continues when it is trouble with the database, else it stops cleanly and exits with 1.',
  },
  { id: 'presence.lives', says: 'Other processes see that a process lives by the session lock it holds.' },
  { id: 'presence.rejoin', says: 'A presence lock whose connection broke is taken again without anybody noticing.' },
  { id: 'presence.lost', says: 'A process that cannot take its lock again within 3 s stops what it was doing.' },
  { id: 'presence.buriedOnce', says: 'A dead process is reaped by exactly one of the others.' },
  {
    id: 'presence.sweeperDies',
    says: 'When a process dies while it reaps another one, the next look of a third reaps that one, without a new grace.',
  },
  {
    id: 'presence.failover',
    says: 'Who never held its lock in this life of the server, after a restart or a promotion, is not declared dead within 6 s.',
  },
  {
    id: 'presence.blink',
    says: 'A process whose connection broke is declared dead only if a second look, half a second later, misses it too.',
  },
  {
    id: 'presence.serving',
    says: 'A process that only serves requests has no work to take, so it is not declared dead within 30 s, however busy it is.',
  },
  {
    id: 'presence.together',
    says: 'Who lost its own connection and comes back gives those whom it does not find 6 s, since the same may have happened to them.',
  },
  {
    id: 'presence.slow',
    says: 'A process comes back to a server that answers late: a slow connection is waited for while the next one is tried.',
  },
  {
    id: 'presence.silent',
    says: 'A presence connection to a machine that is gone is replaced, although nobody closed it.',
  },
  { id: 'worker.takeover', says: 'Jobs of a dead process are free within about a second.' },
  { id: 'worker.drain', says: 'A stopping worker takes no new job, finishes those at hand, and exits 0.' },
  {
    id: 'worker.deaf',
    says: 'Work that is still running 5 s after the drain time is left to the other processes; the exit code is 1.',
    gap: { question: 'What happens to work that does not stop in time?', file: 'server/src/main.ts' },
  },
  {
    id: 'worker.secondSignal',
    says: 'A second signal, more than half a second after the first, exits at once.',
    gap: {
      question: 'When is a second signal a second wish, given that a terminal and npm may deliver one twice?',
      file: 'server/src/main.ts',
    },
  },
  {
    id: 'api.drain',
    says: 'After SIGTERM /readyz is red and requests are answered for two readiness intervals (RUNYARD_READINESS_INTERVAL_MS, 1 s); after Ctrl-C the wait is left out.',
    gap: { question: 'How long is a readiness interval?', file: 'server/src/serve.ts' },
  },
  {
    id: 'api.closes',
    says: 'A process that stops waits for answers under way, and not for connections without a request.',
  },
  {
    id: 'start.firstKey',
    says: 'The first start makes a team, an admin and a key; its clear copy is <data dir>/first-key, and later starts say so, or how to make another.',
  },
  {
    id: 'start.keyShownOnce',
    says: 'The first key is printed by the start that makes it, and only to a terminal; RUNYARD_API_KEY is never printed.',
    gap: { question: 'When is the first key shown?', file: 'server/src/box.ts' },
  },
  {
    id: 'start.encryptionKey',
    says: 'A process whose encryption key is not the one of the database refuses to start and says which it needs.',
  },
  { id: 'start.told', says: 'A signal during the start ends the process cleanly as soon as it has started.' },
  {
    id: 'start.databaseRefused',
    says: 'A database that cannot be reached or used is told in one sentence with what to do, and the exit code is 1.',
  },
  {
    id: 'start.built',
    says: 'npm start runs the service, and the service its own processes, from a build that its sources give; a running service keeps its build.',
  },
  { id: 'start.leavesNothing', says: 'A start that failed leaves no PostgreSQL running.' },
  {
    id: 'start.serviceFile',
    says: 'The service.json of a killed process is replaced before the next one answers its first request.',
  },
  {
    id: 'start.givenKey',
    says: 'RUNYARD_API_KEY may begin with ry_; one that is a mistyped key of ours is refused at the start.',
  },
  { id: 'start.portTaken', says: 'A taken port is told with the setting that changes it.' },
  // The house
  {
    id: 'architecture.imports',
    says: 'Imports run base → drivers → kit → engine → features → app, and features never import features.',
  },
  { id: 'architecture.exports', says: 'Every name that a file of the server exports is used by another file.' },
  { id: 'architecture.functions', says: 'No function of the server is longer than 80 lines.' },
  { id: 'architecture.circles', says: 'No files of the server import each other in a circle.' },
  {
    id: 'architecture.rooms',
    says: 'A room of the engine imports only the rooms below it; each room of the engine and each driver says what it is for, who calls it and what it may not know.',
  },
  { id: 'architecture.writers', says: 'A table is written only by the folder that its migration names.' },
  { id: 'architecture.names', says: 'An operation stands in a file of its own name.' },
  { id: 'architecture.firstLine', says: 'Every file says in its first line what it is.' },
  {
    id: 'architecture.waiting',
    says: 'A file that tests of one process share has no await at its top level.',
  },
  {
    id: 'architecture.alone',
    says: 'A test file that changes its process, or starts others, has a name that gives it a process of its own.',
  },
  { id: 'architecture.generated', says: 'Generated files are fresh.' },
  // Memory and workspaces
  {
    id: 'kit.restParameter',
    says: 'A path parameter that takes the rest of a path is decoded exactly once, its slashes encoded or not; broken encoding or a NUL names nothing: 404.',
    gap: {
      question: 'What is a path with broken percent-encoding, when the caller chooses the name?',
      file: 'server/src/kit/http.ts',
    },
  },
  { id: 'memory.crud', says: 'Memory files are written, read, listed by path and deleted.' },
  {
    id: 'memory.paths',
    says: 'A memory path is relative, clean, NFC, at most 512 bytes and 16 levels; any other is a 404 to read or delete and a 400 with the rule to write.',
    gap: { question: 'Which paths are clean?', file: 'server/src/features/memory/memoryPath.ts' },
  },
  {
    id: 'memory.expected',
    says: 'A change that expects another generation is a 409 and changes nothing; of many that expect the same one, exactly one succeeds.',
  },
  {
    id: 'memory.generation',
    says: 'A path that is written again after its deletion continues above the generations it had.',
    gap: {
      question: 'At which generation does a path continue after its deletion?',
      file: 'server/src/features/memory/changeMemory.ts',
    },
  },
  {
    id: 'memory.concurrent',
    says: 'A hundred writers of one file at once get the generations 1 to 100, and none is lost.',
  },
  {
    id: 'memory.limits',
    says: 'A memory file has at most 256 KiB in UTF-8, an agent at most 1000 files and 16 MiB, also against writers at once.',
    gap: { question: 'How much may an agent remember?', file: 'server/src/features/memory/memoryFile.ts' },
  },
  {
    id: 'memory.forgotten',
    says: 'The memory of a deleted agent is gone, also against writers at once.',
    gap: { question: 'What happens to a deleted agent’s memory?', file: 'server/src/features/memory/forgetMemory.ts' },
  },
  {
    id: 'memory.tools',
    says: 'Memory calls of many runs are applied in order in two statements; a refused call stands in nobody’s way.',
  },
  {
    id: 'memory.disabled',
    says: 'An agent whose memory is switched off gets a sentence that says so from every memory tool.',
  },
  { id: 'blobs.roundTrip', says: 'Bytes of any size come back as they were, in whole or their beginning.' },
  { id: 'blobs.once', says: 'The same bytes are kept once, however many bring them at once.' },
  { id: 'blobs.transaction', says: 'Bytes are there exactly if the transaction that brought them commits.' },
  {
    id: 'workspace.paths',
    says: 'A path leads below /workspace in one spelling, or is refused with a sentence.',
    gap: {
      question: 'Is a .. that stays inside allowed?',
      file: 'server/src/features/sandboxes/workspace/workspacePath.ts',
    },
  },
  {
    id: 'workspace.files',
    says: 'Files that runs write are told with size, SHA-256 and type, read back and listed, each in the workspace of its run.',
  },
  {
    id: 'workspace.history',
    says: 'A path has one current row; earlier ones say until which step they were; writers at once lose nothing.',
  },
  {
    id: 'workspace.content',
    says: 'What is no text is read as base64; a long file is cut at a character and says so.',
  },
  { id: 'workspace.limits', says: 'A tool writes files of up to 10 MiB.' },
  { id: 'workspace.folders', says: 'A name in a workspace is a file or a folder, never both.' },
  // Models
  { id: 'model.streams', says: 'Text of a model arrives while it is made.' },
  { id: 'model.usage', says: 'Tokens are counted as the provider tells them, those of its cache apart.' },
  { id: 'model.cost', says: 'Costs are exact decimals, with prices of their own for the cache and for long requests.' },
  { id: 'model.worstCost', says: 'What is reserved for a call is never less than what the same tokens cost.' },
  {
    id: 'model.priceFile',
    says: 'A price file goes before the table; a bad one names itself and all that is wrong with it.',
  },
  { id: 'model.calls', says: 'Calls made together come back together, and each result goes to its call.' },
  { id: 'model.callIds', says: 'Call ids go to a provider in a form that it accepts.' },
  { id: 'model.unknownTool', says: 'A call of an unknown tool is passed on for the engine to refuse.' },
  { id: 'model.malformedArguments', says: 'Arguments that are no JSON do not end the run.' },
  { id: 'model.thinking', says: 'Thinking is collected and goes back with the proof its provider gave.' },
  {
    id: 'model.refusedReasoning',
    says: 'A run whose old reasoning the provider refuses continues without it.',
    gap: {
      question:
        'What if a provider refuses the earlier reasoning of a run, for example because the key or the tools changed?',
      file: 'server/src/drivers/model/aiSdk/aiSdk.ts',
    },
  },
  {
    id: 'model.appendOnly',
    says: 'Each request begins with all of the one before; a message that came during the answer follows it, rebuilt or not.',
    gap: {
      question: 'Where is a message placed that came while the model answered?',
      file: 'server/src/drivers/model/aiSdk/prompt.ts',
    },
  },
  {
    id: 'model.pictures',
    says: 'Pictures and PDF files that came with a result stand inside it, or follow it where the provider takes text alone there.',
  },
  {
    id: 'model.sight',
    says: 'Pictures and PDF files go to each provider in its own documented form; one that is not stored any more is replaced by words.',
  },
  {
    id: 'model.prompt',
    says: 'Results follow their calls at once, texts in a row are one message, and a call without a result gets one that says so.',
  },
  {
    id: 'model.instructions',
    says: 'The instructions hold procedure, facts and rules, and no fact can leave its place.',
  },
  {
    id: 'model.outputSchema',
    says: 'An output schema is told, held by the provider where that leaves the tools usable, and the answer is read as JSON.',
  },
  {
    id: 'model.trouble',
    says: '408, 409, 429, 5xx and network errors are worth another attempt, at the time the provider wishes.',
  },
  { id: 'model.brokenStream', says: 'A stream that breaks, ends early or tells an error is worth another attempt.' },
  {
    id: 'model.wire',
    says: 'What the documentation of each provider shows is read in the same way: text, calls, cache counts, pictures, refusals, trouble of every kind, cut streams.',
  },
  { id: 'model.idleStream', says: 'A stream that is silent for 120 s is given up and tried again.' },
  { id: 'model.emptyAnswer', says: 'An answer with neither text nor calls is worth another attempt.' },
  {
    id: 'model.refusedRequest',
    says: 'What a provider will never answer ends the run with its words, and never with the key.',
  },
  { id: 'model.refusal', says: 'A refusal or a cut-off answer fails the run and says what to do.' },
  { id: 'model.abort', says: 'A stopped model call rejects with the reason and takes its request down.' },
  { id: 'model.notConfigured', says: 'A model whose provider lacks its setting is a problem that names the setting.' },
  { id: 'model.oneName', says: 'No other name of a Google model leads past its price and the rules for it.' },
  { id: 'model.default', says: 'Without RUNYARD_MODEL agents use builtin:runbook.' },
  { id: 'model.lazy', says: 'A provider’s package is loaded when it is first asked.' },
  {
    id: 'models.keys',
    says: 'A team’s own key of a provider is tested when it is saved, sealed, never answered, and used before the server’s.',
  },
  { id: 'models.ownServer', says: 'A URL that a team gives for its own models is asked through the outbound guard.' },
  {
    id: 'models.allowed',
    says: 'A team says which models its agents may use: others cannot be saved in a build, and their runs fail or take the next route.',
  },
  {
    id: 'models.default',
    says: 'Agents that name no model use the default of their team, and where it has none that of the server.',
  },
  { id: 'models.canary', says: 'No key of a team for its models is found in rows, events, messages, logs or answers.' },
  {
    id: 'builds.routes',
    says: '`models.agent` may be a list of up to five models; each is checked, allowed and priced like one.',
  },
  {
    id: 'routes.next',
    says: 'A build may name several models: the next is asked where one is down, overloaded past its patience, breaks off twice or refuses the key. Each is a step of its own.',
  },
  {
    id: 'routes.policy',
    says: 'A model that refuses by policy is left for the rest of the run; what the refusal used is counted for it.',
  },
  { id: 'routes.badRequest', says: 'A request that is wrong fails the run; no other model is asked.' },
  { id: 'routes.patience', says: 'A provider that is slow for a moment is asked again before another is.' },
  {
    id: 'routes.dies',
    says: 'A provider that dies at any byte of its answer costs no run: all go on with the next model, and usage is what both charged less what was cut, which is listed.',
  },
  { id: 'routes.takeover', says: 'Which models a run has left is in its ledger: a takeover goes on with the next.' },
  {
    id: 'routes.breaker',
    says: 'A provider that fails four times in a row is left alone by all processes for a while; then one of them asks it again.',
  },
  { id: 'config.model', says: 'Bad model settings are named at the start, without repeating a key.' },
  // Agents and builds
  {
    id: 'agents.create',
    says: 'An agent is made with a live first build; instructions and model are short for a config; without a procedure it gets an executable template.',
  },
  {
    id: 'agents.procedureParts',
    says: 'A procedure may be messages whose content is text or typed text parts (text, input_text, output_text).',
  },
  {
    id: 'agents.procedureRefused',
    says: 'A procedure that cannot be read is a 400 that names every place, wherever a config is taken; only an absent or blank one gets the template.',
  },
  {
    id: 'agents.plainModels',
    says: 'A model name that begins with claude-, gpt-, chatgpt-, o and a digit, or gemini- needs no provider.',
  },
  {
    id: 'agents.source',
    says: 'An agent can be made as a copy of a build of any agent of the team; any other source_build_id is a 404.',
  },
  {
    id: 'agents.oneSource',
    says: 'createAgent takes only one of instructions with model, build, source_build_id; more is a 400.',
    gap: {
      question: 'What if an agent is described in two ways at once?',
      file: 'server/src/features/agents/createAgent.ts',
    },
  },
  {
    id: 'agents.list',
    says: 'Agents are listed newest first with their latest build and, when asked for, their schedules.',
    gap: { question: 'In which order are agents listed?', file: 'server/src/features/agents/listAgents.ts' },
  },
  {
    id: 'agents.search',
    says: 'A list of agents is searched by words in name and description, in any case and as parts of longer words.',
  },
  { id: 'agents.update', says: 'Name, description and memory of an agent are changed one by one.' },
  {
    id: 'agents.delete',
    says: 'A deleted agent and its builds are a 404 everywhere, its rows stay, and other features are told in the same transaction.',
  },
  {
    id: 'agents.hidden',
    says: 'A hidden agent runs the work of another record. No list, count, limit, name or id leads a caller to it or to its builds; runs have its name.',
  },
  {
    id: 'builds.draft',
    says: 'A revision is a draft of a given config, or a copy of a given build of the team, or of the live build.',
  },
  { id: 'builds.update', says: 'Only a draft gets another config; name and description of any build can be changed.' },
  {
    id: 'builds.updateGuarded',
    says: 'A change of a build with expected_updated_at is made only if nobody changed it since; otherwise it is a 409 that says so.',
  },
  {
    id: 'builds.promote',
    says: 'Promotion makes a draft or historic build live and the former one historic, with its event; a live one is 409 already_live.',
  },
  {
    id: 'builds.oneLive',
    says: 'Under any number of promotions exactly one build is live, and their events are one unbroken chain.',
  },
  { id: 'builds.numbers', says: 'Revision numbers have no gaps, however many drafts are made at once.' },
  {
    id: 'builds.config',
    says: 'A config is read with its defaults; unknown keys are kept; a procedure is text or a list of messages.',
  },
  {
    id: 'builds.approvals',
    says: 'An approval policy that cannot be read asks a person instead of permitting.',
    gap: { question: 'What does an unreadable approval policy mean?', file: 'server/src/engine/builds/buildConfig.ts' },
  },
  {
    id: 'builds.problems',
    says: 'A config is refused with all its problems at once, each with its place, malformed blocks with their line.',
  },
  {
    id: 'builds.problemsMany',
    says: 'At most 20 problems and 1,800 characters are reported, then how many more there are.',
    gap: {
      question: 'How long may a refusal of a config be?',
      file: 'server/src/features/agents/builds/usableConfig.ts',
    },
  },
  {
    id: 'builds.promoteChecks',
    says: 'A config is checked again when it is promoted; a copy may be made unchecked, to fix it.',
    gap: { question: 'Is a copy of a build checked?', file: 'server/src/features/agents/createRevision.ts' },
  },
  { id: 'builds.costLimit', says: 'A cost limit on a model without a price, the default model included, is a 400.' },
  {
    id: 'builds.diff',
    says: 'A build is compared with the live one, with its parent when it is live, or with any other of its agent; the first one with nothing.',
    gap: { question: 'What is the first build compared with?', file: 'server/src/features/agents/diffRevisions.ts' },
  },
  { id: 'builds.diffOwn', says: 'A build of another agent is nothing to compare with: 404.' },
  {
    id: 'builds.diffBounded',
    says: 'A rewritten procedure is shown as replaced between the lines that stayed, still as a patch that applies.',
    gap: { question: 'How long may a comparison take?', file: 'server/src/features/agents/builds/buildDiff.ts' },
  },
  // Acting on runs
  {
    id: 'humanRequests.fit',
    says: 'Only the field of the request’s type becomes the response, with the comment beside it.',
  },
  {
    id: 'humanRequests.answers',
    says: 'Every question needs an answer: a label where it has options, several only with multi_select; anything else is said in comment.',
    gap: {
      question: 'May a question with options be answered in other words?',
      file: 'server/src/engine/requests/humanResponse.ts',
    },
  },
  { id: 'humanRequests.form', says: 'Values fit the form’s schema, or the 400 names the place.' },
  {
    id: 'humanRequests.brokenForm',
    says: 'A form whose schema cannot be used is an error to the agent when it asks; one that is open already is a 409 that says to cancel it.',
    gap: {
      question: 'What if the form_schema is itself broken?',
      file: 'server/src/features/humanRequests/respondToHumanRequest.ts',
    },
  },
  {
    id: 'humanRequests.respond',
    says: 'An answer is stored with who gave it, told once, and the run continues with it.',
  },
  {
    id: 'humanRequests.race',
    says: 'Of 100 answers at once one counts; the others are 409, with one event and no gap.',
  },
  {
    id: 'humanRequests.actionHash',
    says: 'An answer that names another action_hash than the one that waits is a 409.',
    gap: {
      question: 'How does a caller bind an approval to what was shown?',
      file: 'server/src/features/humanRequests/respondToHumanRequest.ts',
    },
  },
  {
    id: 'humanRequests.closed',
    says: 'A request that is answered, cancelled, out of time, or whose run has ended takes no answer: 409 human_request_closed.',
  },
  { id: 'humanRequests.parent', says: 'A request below another run than its own is a 404.' },
  {
    id: 'humanRequests.cancel',
    says: 'A cancelled request gives its call an error, the run continues, and no event tells of it.',
  },
  {
    id: 'inbox.list',
    says: 'Pending requests come longest waiting first; those of another status, or all, newest first; closed ones by when they were closed.',
    gap: { question: 'In which order is the inbox?', file: 'server/src/features/humanRequests/listHumanRequests.ts' },
  },
  {
    id: 'inbox.deadline',
    says: 'The inbox can be sorted by deadline: the closest first, requests without one last.',
  },
  {
    id: 'inbox.run',
    says: 'A human request comes with the run, agent, build, case and step that ask, in the inbox and by its id alone.',
  },
  {
    id: 'inbox.consequences',
    says: 'A pending request says in words what each answer leads to.',
  },
  // The inbox of the page
  {
    id: 'console.inbox.keys',
    says: 'A request is answered by keyboard alone: a digit chooses, Ctrl or ⌘ with Enter sends, and no single key does both.',
  },
  {
    id: 'console.inbox.form',
    says: 'What the service has against a form stands at its field, and what was filled in stays.',
  },
  {
    id: 'console.inbox.race',
    says: 'When somebody else answers, cancels or stops, the form locks at once and says who did what; one answer counts.',
  },
  {
    id: 'console.inbox.keeps',
    says: 'What was typed into a request survives a reload and the end of the session, for the same person only.',
  },
  {
    id: 'console.inbox.steady',
    says: 'New requests are offered and move nothing; what is put aside stands under Not now; a thousand are drawn a screenful at a time.',
  },
  {
    id: 'console.inbox.notify',
    says: 'Where somebody switched it on, the browser tells of new requests that are theirs or nobody’s.',
  },
  {
    id: 'console.inbox.phone',
    says: 'On a phone the list and the request take turns, and the answers are at the bottom edge, large enough for a thumb.',
  },
  {
    id: 'console.inbox.deadline',
    says: 'A request with a deadline says what happens without an answer, and afterwards what happened.',
  },
  {
    id: 'console.inbox.role',
    says: 'Whoever may not answer reads the request, and the buttons say which scope is missing.',
  },
  {
    id: 'console.inbox.hostile',
    says: 'Titles, texts, options and schemas of a hostile agent are shown as text and break nothing.',
  },
  { id: 'inbox.agent', says: 'Pending requests can be narrowed to those of one agent.' },
  { id: 'inbox.counts', says: 'Open human requests are counted by type and by whom they are assigned to.' },
  {
    id: 'inbox.assign',
    says: 'A request can be given to a member or to nobody, and listed by member, me or none; anyone who may answer still can.',
    gap: {
      question: 'Does an assignment keep others from answering?',
      file: 'server/src/features/humanRequests/assignHumanRequest.ts',
    },
  },
  { id: 'messages.post', says: 'A message is part of the log and of the events at once, in any state of the run.' },
  { id: 'messages.restart', says: 'A message to an ended run starts it again; its next end has its own event.' },
  {
    id: 'messages.refused',
    says: 'A message over 64 KiB or empty is a 400; to an ended run whose agent is deleted or whose log was erased, a 409.',
    gap: {
      question: 'Can a run continue after retention erased its log?',
      file: 'server/src/features/runs/postRunMessage.ts',
    },
  },
  { id: 'messages.numbers', says: 'Messages that arrive together are numbered without gaps.' },
  {
    id: 'stop.states',
    says: 'A pending or waiting run is stopped with its requests and places; an ended one stays as it is, and the answer says so.',
  },
  { id: 'stop.running', says: 'A running call is cut off, and its worker writes nothing more.' },
  {
    id: 'stop.subRuns',
    says: 'Active runs below a stopped run are stopped with it; those below an ended one are left.',
  },
  { id: 'stop.race', says: 'Fifty stops at once give one terminal event.' },
  {
    id: 'stop.agentDeleted',
    says: 'Deleting an agent stops its active runs in that transaction; a job stops one that was started at the same time.',
  },
  {
    id: 'retry.start',
    says: 'A retry is a new run with the old one’s message, title, metadata, limits and callback, without its case or parent.',
    gap: { question: 'What does a retry take over?', file: 'server/src/features/runs/retryRun.ts' },
  },
  {
    id: 'events.list',
    says: 'The events of a run are listed as its stream has them, each with how many deliveries it has and how many failed.',
  },
  {
    id: 'events.teamList',
    says: 'The events of a team are listed newest first, by kind, run and time, each with how many deliveries it has and how many failed.',
  },
  // Steps
  {
    id: 'steps.list',
    says: 'The steps of a run are listed as light rows, without arguments and results, with the times, waits and cuts that a time axis needs.',
  },
  {
    id: 'steps.pages',
    says: 'Steps come in pages by their number, found by their key; opened arguments are bounded for each page.',
  },
  {
    id: 'steps.detail',
    says: 'A list describes a step in a few words on one line, without queries and credentials of addresses.',
  },
  { id: 'steps.waits', says: 'Each wait of a step has a kind, a beginning and an end; waits that overlap count once.' },
  {
    id: 'steps.doubt',
    says: 'A call in doubt tells whose death cut it off, what a person was asked and decided, and the attempt that followed.',
  },
  {
    id: 'steps.cuts',
    says: 'Each time that a process loses a run in the middle of a step is written down, and no other.',
  },
  { id: 'steps.approval', says: 'A call that needs approval has its intent after the answer, not before.' },
  {
    id: 'steps.moments',
    says: 'Trouble of a model, refusals and effects that commit with their result are shown as what they were.',
  },
  { id: 'steps.retry', says: 'A step says what a retry from it repeats, what that cost, and whether it is allowed.' },
  { id: 'steps.worker', says: 'A step under way names the process that has its run.' },
  { id: 'steps.missing', says: 'What is no number of a step is a 404.' },
  { id: 'steps.erased', says: 'The steps of an erased log keep what they were, and nothing of what was said.' },
  { id: 'retry.origin', says: 'A retry names the run that it retries and the step from which it was asked to begin.' },
  {
    id: 'retry.fromStep',
    says: 'from_step copies all turns before that call, unchanged except for call ids; copies write no events, cost nothing, and count as steps.',
    gap: {
      question: 'What is copied with from_step, and are there events for it?',
      file: 'server/src/engine/starting/copyTurns.ts',
    },
  },
  {
    id: 'retry.build',
    says: 'A retry may use another build of the same agent, also from a step: it continues with those results.',
    gap: { question: 'May from_step change the build?', file: 'server/src/features/runs/retryRun.ts' },
  },
  {
    id: 'retry.refused',
    says: 'A retry of an active run, of a deleted agent, or from a step of an erased log is a 409; from_step that is no call is a 400.',
  },
  {
    id: 'deleteRun.erases',
    says: 'A deleted run leaves no message, step, request, event, search row or workspace; other runs are untouched.',
  },
  {
    id: 'deleteRun.copies',
    says: 'A deleted run leaves no recording, report, lesson, reason of a suggestion, stop of a guardrail or seal, also if the release before deletes it.',
  },
  { id: 'deleteRun.active', says: 'Only a run that has ended can be deleted; else 409.' },
  {
    id: 'deleteRun.long',
    says: 'A very long log is gone from view at once; its rows go 5,000 a statement.',
    gap: { question: 'Is a huge run erased before the answer?', file: 'server/src/engine/ending/deleteRuns.ts' },
  },
  // What tenants write and the service evaluates
  {
    id: 'bounds.patterns',
    says: 'A pattern of a tenant is matched in time proportional to the text; one with look-around, back-references or too many repetitions is refused.',
    gap: {
      question: 'Which regular expressions does `pattern` take?',
      file: 'server/src/base/pattern/linearPattern.ts',
    },
  },
  {
    id: 'bounds.schemas',
    says: 'A value is held against a JSON Schema of a tenant in a bounded number of steps, with the answers of the checker of our own schemas.',
    gap: { question: 'How long may checking a value take?', file: 'server/src/base/jsonSchema/jsonSchema.ts' },
  },
  {
    id: 'bounds.savedSchemas',
    says: 'A schema that is too large, refers to what is not there or has a bad pattern is refused when it is saved, with each place.',
  },
  {
    id: 'bounds.outputSchema',
    says: 'An output_schema that takes too long, or cannot be used, fails the run with output_invalid; the service continues.',
  },
  {
    id: 'bounds.templates',
    says: 'Expressions and templates are counted while they are worked out; one that takes too much fails its run in that turn, with little memory.',
    gap: { question: 'How much may the expressions of one turn do?', file: 'server/src/base/expression/text.ts' },
  },
  {
    id: 'bounds.runMemory',
    says: 'A run whose messages and results take more than RUNYARD_RUN_MEMORY_BYTES fails with limit_reached.',
  },
  {
    id: 'runbook.jsonValue',
    says: 'Where a JSON value stands, {{ x | json }} is the value of x; inside a JSON string it is its JSON text.',
    gap: { question: 'What does the filter json mean inside JSON?', file: 'server/src/drivers/model/runbook/block.ts' },
  },
  { id: 'bounds.forms', says: 'An answer to a form is checked in bounded steps, whatever the form’s schema is.' },
  {
    id: 'bounds.caches',
    says: 'A cache whose keys a caller can choose holds a bounded number of entries of a bounded size.',
  },
  { id: 'retention.runs', says: 'Runs go so many days after their end; an active run never does.' },
  {
    id: 'retention.messages',
    says: 'The kind messages erases messages and the inputs, outputs and errors of steps of ended runs, and what was asked and answered; the run, its step rows, and the titles and decisions of its requests stay.',
    gap: { question: 'What goes when only messages expire?', file: 'server/src/engine/ending/eraseRunLogs.job.ts' },
  },
  { id: 'retention.files', says: 'Workspaces go so many days after the end of their run.' },
  {
    id: 'retention.events',
    says: 'Events go by their own age, also of a run that is still active.',
    gap: { question: 'From when do the days of an event count?', file: 'server/src/kit/oldEvents.ts' },
  },
  {
    id: 'retention.partitions',
    says: 'Events and audit rows are partitioned by time. A partition is dropped when all of its rows are old; until then its rows stay.',
    gap: { question: 'May a row stay for longer than its days?', file: 'server/src/kit/partitions.ts' },
  },
  {
    id: 'retention.kept',
    says: 'An event that somebody has to get outlives the partition in which it was written, and so do its deliveries.',
  },
  {
    id: 'partitions.next',
    says: 'The next partition is made before it is needed. What is written while there is none is stored, found and erased all the same.',
  },
  {
    id: 'partitions.planned',
    says: 'What all partitions of a table have together is looked at again when they have grown or shrunk, since PostgreSQL plans by that and does not look by itself.',
  },
  { id: 'partitions.busy', says: 'A table in use is not waited for: the partition is made or dropped an hour later.' },
  {
    id: 'partitions.migrated',
    says: 'A table becomes partitioned while others write to it, and no row is copied. One with ids from the future stays as it is.',
  },
  { id: 'retention.careful', says: 'The sweep steps around locked runs and stops when told.' },
  {
    id: 'retention.eachTeam',
    says: 'Teams have turns: one of which nothing can be erased, or that has very much, keeps nothing of the others from being erased.',
  },
  {
    id: 'retention.parts',
    says: 'Events, runs and configs of drafts are erased in their own time, and what fails of one keeps nothing of the others.',
  },
  {
    id: 'retention.setting',
    says: 'RUNYARD_RETENTION_DAYS names kinds with days or forever; unset: runs and messages for ever, the audit log 400 days, everything else 30.',
    gap: { question: 'How long is what kept by default?', file: 'server/src/base/config.ts' },
  },
  {
    id: 'sql.columns',
    says: 'Rows that are written together reach PostgreSQL as columns, and whatever a tenant wrote stays in its own row.',
    gap: { question: 'In what form do many rows reach PostgreSQL?', file: 'server/src/base/columns.ts' },
  },
  // Runs
  {
    id: 'runs.whole',
    says: 'A run goes from its start to its output, and its log tells all of it in order, numbered without gaps.',
  },
  {
    id: 'runs.joined',
    says: 'What a runbook does next is written with the results that lead to it; if it cannot be, those are written without it.',
    gap: { question: 'How many writes does a run take?', file: 'server/src/engine/driving/joinTurns.ts' },
  },
  { id: 'runs.approval', says: 'A run that waits for a person is rows only, and continues with their answer.' },
  { id: 'runs.wait', says: 'A run can put itself off until a time; the clock wakes it.' },
  { id: 'runs.subRun', says: 'A run can start another agent’s run, wait for it and take over its output.' },
  {
    id: 'runs.outputSchema',
    says: 'A runbook’s output that does not fit output_schema fails the run with the place that does not.',
  },
  {
    id: 'runs.outputSchemaModel',
    says: 'A model’s output that does not fit output_schema goes back to the model, three times at most.',
    gap: { question: 'How often may a model try to fit its output?', file: 'server/src/engine/driving/drive.ts' },
  },
  { id: 'runs.longTime', says: 'A run may be active for 30 days; nothing ends it before its limit of time.' },
  {
    id: 'runs.sweepBound',
    says: 'However much is due at once, a sweep does a part of it and then the rest of its work.',
  },
  { id: 'runs.sweepAside', says: 'A team whose slots are locked for long holds up no wait of another team.' },
  { id: 'runs.limits', says: 'A run fails at its limits; a start can only tighten them.' },
  {
    id: 'runs.unpriced',
    says: 'A start, a retry or a sub-run whose cost is limited is refused where a model of its build has no price.',
  },
  {
    id: 'runs.messages',
    says: 'A message to an ended run starts it again from its procedure, with its numbers, usage and limits going on.',
  },
  { id: 'runs.messageKeepsWait', says: 'A message does not end a wait.' },
  {
    id: 'runs.messageInTurn',
    says: 'What is said to a run while its model answers is heard at the next turn, none lost and none doubled.',
  },
  { id: 'runs.fenced', says: 'A worker whose run was taken from it can write nothing.' },
  {
    id: 'runs.inDoubt',
    says: 'A call that is not safe to repeat and was cut off is made again only when a person says so.',
  },
  { id: 'runs.places', says: 'A team runs only as many at once as it has slots; the rest wait and follow.' },
  {
    id: 'runs.slotsGiven',
    says: 'A slot that is free is given at once to a run that may have it, whoever stands before it in the line and whoever else gives slots.',
  },
  {
    id: 'runs.agentCap',
    says: 'No more runs of an agent work than its cap allows, whoever starts or wakes them; the rest hold up no run of another agent.',
  },
  {
    id: 'runs.recount',
    says: 'Counting slots again locks one team at a time, and none whose counts are right; no long line is read whole for it.',
  },
  { id: 'runs.uncounted', says: 'Places that a dead process left are counted by whoever comes next.' },
  {
    id: 'runs.model',
    says: 'A model takes turns with parallel calls until it is done; tokens and cost are counted exactly.',
  },
  {
    id: 'runs.badCalls',
    says: 'A call that is unknown, not allowed or does not fit its schema gets a sentence back, and the run continues.',
  },
  {
    id: 'runs.modelTrouble',
    says: 'While a provider wants to be left alone the run waits without a worker, and continues with the same step.',
  },
  {
    id: 'runs.modelRefused',
    says: 'A request that the provider refuses fails the run with its words and without our key.',
  },
  { id: 'runs.costLimit', says: 'A model whose worst case is more than what is left of the cost limit is not asked.' },
  {
    id: 'runs.reservation',
    says: 'The worst case of a model call is set aside while it is made, and given back after it.',
  },
  { id: 'runs.runStep', says: 'A model runs a block of the procedure as it is written, by its id.' },
  {
    id: 'runs.approvalPolicy',
    says: 'A call that the build’s policy names is made only after a person allowed that very call.',
  },
  {
    id: 'runs.takeoverModel',
    says: 'A model call that died with its worker is made again as the next attempt of the same step.',
  },
  {
    id: 'runs.folding',
    says: 'A run that is longer than its model’s window continues: old results are shortened, then old turns folded, every request fits, the beginning of requests stays the same in between, and what it used is counted.',
  },
  {
    id: 'runs.foldingShown',
    says: 'A folding is a step with what was folded and how long the request was before and after; the notes are a message.',
  },
  { id: 'runs.foldingDurable', says: 'A process that takes a folded run over shows its model the same.' },
  {
    id: 'runs.foldingTooLong',
    says: 'A provider that says “too long” makes the run fold and continue; with nothing left to leave out it fails with those words.',
  },
  { id: 'runs.foldingRefused', says: 'A model that writes no notes gets its log in short, and the run continues.' },
  {
    id: 'runs.foldedView',
    says: 'What a model is shown of a long log: shortened results that say where they lie, notes in place of old turns, the newest turn always.',
  },
  {
    id: 'runs.foldRequest',
    says: 'The request for notes fits its bound, cannot be broken out of, and people’s words are kept as they wrote them.',
  },
  {
    id: 'runs.longWork',
    says: 'Runs of thousands of turns in a small window, with workers killed on the way, have every turn once, repeat no finished call, and recall in their last turns what the third one found.',
  },
  {
    id: 'runs.limitAsks',
    says: 'With on_limit ask a run at a limit waits for a person, who sees what was reached and what more would cost; approved, it continues with the new limit.',
  },
  { id: 'runs.limitRefused', says: 'A run whose request for more is refused or taken back fails as at any limit.' },
  { id: 'runs.callsTogether', says: 'Independent calls of one turn run at once, each with its own row of the ledger.' },
  {
    id: 'runs.callsAlone',
    says: 'Calls of a tool that is set to alone run one after the other; those that had not begun when a process was lost are made by the next one, and are never in doubt.',
  },
  { id: 'runs.recall', says: 'The tool recall reads results of the run from the ledger, in pieces, and finds words.' },
  {
    id: 'models.tooLong',
    says: 'A request that is longer than the window is recognised in the words of every provider.',
  },
  {
    id: 'models.windows',
    says: 'The window of a model comes from the setting, else from the table, else a careful guess.',
  },
  {
    id: 'models.sight',
    says: 'Which models take pictures and PDF files comes from the setting, else from the table; any other takes text alone.',
  },
  {
    id: 'files.kind',
    says: 'The bytes of a file say what it is, never its name: PNG, JPEG, GIF, WebP with their size, PDF with its pages.',
  },
  {
    id: 'files.showable',
    says: 'What cannot be shown to a model is described by name, type and size: what is something else, too large, has too many pages or a password.',
  },
  {
    id: 'runs.seen',
    says: 'A model that takes pictures and PDF files sees what its tools show it, by reference in the ledger; any other reads what they are.',
  },
  {
    id: 'runs.seenBrowser',
    says: 'After a browser call a model that sees gets the picture of the timeline beside the text, with logins covered; any other gets the text alone.',
  },
  {
    id: 'runs.seenBounds',
    says: 'The number and the bytes of files in a request are bounded; past that the older half is dropped at once, as a step, and recall shows one again.',
  },
  {
    id: 'runs.seenRoom',
    says: 'Pictures and PDF files count in the size of a request, and old ones are dropped before results are shortened and turns folded.',
  },
  { id: 'runs.seenDurable', says: 'A process that takes a run over sends its model the same pictures and PDF files.' },
  {
    id: 'runs.seenRefused',
    says: 'A provider that refuses a request with files is asked again without them, and the model reads why.',
  },
  {
    id: 'runs.seenRoutes',
    says: 'When the next model of a build does not see, the same turn is sent to it with text.',
  },
  {
    id: 'runs.seenTeams',
    says: 'A run shows its model only files of its own workspace and its build: no path, name or forged reference reaches another team.',
  },
  { id: 'runs.notConfigured', says: 'A run whose model has no key fails at once and names the setting.' },
  // Telemetry, demo and guides
  { id: 'telemetry.off', says: 'Without an OTLP endpoint no OpenTelemetry package is loaded and nothing is sent.' },
  {
    id: 'telemetry.sent',
    says: 'A span reaches the collector with its ids, times, attributes, error and the headers that were set.',
  },
  { id: 'telemetry.trouble', says: 'A collector that refuses is told once in the log, and again when it is back.' },
  {
    id: 'telemetry.run',
    says: 'A run’s trace has its agent, each model call and each tool call by the GenAI conventions, and no contents.',
  },
  {
    id: 'telemetry.oneTrace',
    says: 'A run that waits and continues in another process stays one trace, without stored state: its trace id is the run id.',
    gap: {
      question: 'How do the spans of several workers become one trace?',
      file: 'server/src/engine/driving/runTelemetry.ts',
    },
  },
  {
    id: 'runs.logLine',
    says: 'Every ended run is one log line with its status; one that ended by itself also has its steps and duration.',
  },
  {
    id: 'metrics.runs',
    says: '/metrics counts runs started and ended, held runs, steps by tool and outcome, and the lanes’ flushes.',
  },
  { id: 'metrics.models', says: '/metrics has time, outcome and tokens of model calls by provider.' },
  { id: 'demo.once', says: 'The demo agent is made with the first team, never again, and stays deleted.' },
  {
    id: 'demo.unwanted',
    says: 'With RUNYARD_API_KEY or RUNYARD_DEMO=0 at the first start there is no demo agent, then or later.',
  },
  { id: 'demo.box', says: 'A start names the demo agent and prints a command that starts a run of it.' },
  { id: 'demo.run', says: 'A run of the demo agent counts, waits, asks, and ends well with a yes or a no.' },
  {
    id: 'guides.runbooks',
    says: 'Every procedure in the guide to runbooks parses, and together they show every block.',
  },
  { id: 'dependencies.quiet', says: 'No package that is installed reports to its maker.' },
  { id: 'guides.version', says: 'The version that the service tells of itself is the newest of the changelog.' },
  {
    id: 'guides.paths',
    says: 'Every API path in the guides, the tutorial, the examples and the README is served',
  },
  { id: 'architecture.named', says: 'Every file that ARCHITECTURE.md or a decision names exists.' },
  {
    id: 'proofs.record',
    says: 'The survival proofs keep all their counters in a file, by proof, and write the table of the last results into their page.',
  },
  { id: 'guides.links', says: 'Every link in the documents leads to a file and a heading that exist.' },
  { id: 'guides.shell', says: 'Every shell command in the guides, the tutorial and the README can be parsed.' },
  { id: 'guides.commands', says: 'Every command of the README and the guides works at a real service.' },
  { id: 'guides.cliFirst', says: 'The README and the guides show the command line first and curl second.' },
  { id: 'decisions.headings', says: 'Every decision answers a question and has the same headings in the same order.' },
  { id: 'glossary.words', says: 'No page for users has a word that the glossary forbids.' },
  { id: 'glossary.comments', says: 'Doc comments without a subject only become fewer.' },
  {
    id: 'tutorial.runs',
    says: 'The commands of the tutorial, typed as they are printed, lead from a started service to an agent with a schedule, an approval and a webhook.',
  },
  { id: 'examples.run', says: 'Each example does what its README says.' },
  {
    id: 'config.otlp',
    says: 'Headers for traces are read as OpenTelemetry writes them; a bad one is refused without its value.',
  },
  {
    id: 'config.zone',
    says: 'A zone is 1 to 63 letters, digits, dots, dashes and underscores, so that labels of Kubernetes and Prometheus can hold it.',
  },
  // Runbooks
  {
    id: 'runbook.blocks',
    says: 'A fenced block whose first word is a known kind is a step, by CommonMark’s rules; ids that are not given follow the order and never collide.',
  },
  {
    id: 'runbook.problems',
    says: 'Everything malformed in a procedure is told with its line and what to write instead; no step is silently left out.',
  },
  {
    id: 'runbook.hostile',
    says: 'A text of 200 KiB, whatever it holds, is read to its end, and at most 100 problems are reported.',
    gap: {
      question: 'How many problems of a procedure are reported?',
      file: 'server/src/drivers/model/runbook/parse.ts',
    },
  },
  {
    id: 'runbook.expressions',
    says: 'Expressions read paths, literals, comparisons and filters; a missing path is null.',
  },
  {
    id: 'runbook.expressionsSafe',
    says: 'An expression reads own properties of data only, is bounded, and gives a value or a sentence.',
  },
  {
    id: 'runbook.quoting',
    says: 'A value arrives exactly, and as a value, in bash, python, js, JSON, URLs, headers, forms and texts.',
    gap: {
      question: 'How does a value arrive in a script, a URL or JSON?',
      file: 'server/src/base/expression/text.ts',
    },
  },
  {
    id: 'runbook.places',
    says: 'A value is refused when reading wherever it would not be literal, or would be run later.',
  },
  {
    id: 'runbook.calls',
    says: 'Each kind of block becomes the call of its tool, with results, answers and conditions of earlier steps.',
  },
  {
    id: 'runbook.memory',
    says: 'A memory file that an expression reads is read by a call of its own, once, and again after memory changed.',
  },
  {
    id: 'runbook.errors',
    says: 'A program that exits with another code than 0 is a failed step. A failed step is retried, then fails the run, continues or asks, as its block says.',
    gap: {
      question: 'Is a program that exits with another code than 0 a failed step?',
      file: 'server/src/drivers/model/runbook/outcome.ts',
    },
  },
  {
    id: 'runbook.approval',
    says: 'A rejected approval ends the run as rejected, unless its block continues on error.',
  },
  {
    id: 'runbook.endings',
    says: 'A procedure ends with its output, a count of its steps, model_required or invalid_procedure; a restart begins from the start with its message.',
  },
  { id: 'runbook.rebuild', says: 'A conversation rebuilt from the log at any point takes the same next turn.' },
  {
    id: 'runbook.constantCost',
    says: 'A procedure of ten thousand steps is run and rebuilt without reading the log again.',
  },
  {
    id: 'runbook.html',
    says: 'An html block is a template that is checked with its procedure; it hands over itself and the results of the steps that it reads.',
  },
  {
    id: 'pages.values',
    says: 'A value stays a value in text, in an attribute, in a URL and in JSON of a page: no value adds an element, an attribute or a script.',
  },
  {
    id: 'pages.refused',
    says: 'What could run, load or send something in a page is refused when its template is read, with its line.',
  },
  {
    id: 'pages.bounds',
    says: 'A template and its data are read and shown in bounded steps, memory and length, whatever they hold.',
  },
  {
    id: 'pages.charts',
    says: 'Charts, tables and big numbers are drawn on the server from rows as they come: empty, negative, huge, missing, or text.',
  },
  {
    id: 'pages.exports',
    says: 'A page is also Markdown and tables; a cell of a CSV file is never a formula.',
  },
  {
    id: 'pages.selectable',
    says: 'In a page that is rendered to select from, a script of the service tells the window around it which element a person selected; no other script runs.',
  },
  {
    id: 'artifacts.source',
    says: 'The steps and the template of the current page can be read by whoever may read the artifact.',
  },
  {
    id: 'pages.policy',
    says: 'A page is served and saved with a policy by which it loads nothing and runs one script of ours.',
  },
  { id: 'runbook.tools', says: 'The tools that a procedure needs are known, with their lines, without running it.' },
  {
    id: 'runbook.runStep',
    says: 'Another model runs a block as it is written, with the results so far, or is told why it cannot.',
  },
  // Streams
  {
    id: 'streams.run',
    says: 'A run’s stream gives its events from the first on, new ones as they come, and ends behind the last event of an ended run.',
    gap: { question: 'How does a reader know that the stream is over?', file: 'server/src/kit/eventFeed.ts' },
  },
  {
    id: 'streams.envelope',
    says: 'A streamed event has the envelope of webhooks; its id is the event’s own, because a stream has no deliveries.',
    gap: { question: 'What is the id in the envelope of a streamed event?', file: 'server/src/kit/readEvents.ts' },
  },
  { id: 'streams.headers', says: 'A stream is sent with no-store and X-Accel-Buffering: no, and has a request id.' },
  {
    id: 'streams.lastEventId',
    says: 'Last-Event-ID resumes after that event; one that is not a number is a 400; one beyond the newest counts as the newest.',
    gap: { question: 'What if Last-Event-ID was never given?', file: 'server/src/features/runs/streamRunEvents.ts' },
  },
  { id: 'streams.again', says: 'A run that a message started again streams again, behind what the reader has.' },
  {
    id: 'streams.restart',
    says: 'A reader that follows a run over restarts of the process loses and doubles nothing while events are written.',
  },
  { id: 'streams.many', says: 'Three hundred readers of one process each get all their events in order.' },
  { id: 'streams.team', says: 'A team’s stream begins now and gives every event of that team and of no other.' },
  {
    id: 'events.scopes',
    says: 'Each kind of event has the scope that reads its noun: `runs:read` (runs, human requests), `files:read` (files of runs), `queues:read`, `agents:read`, `connections:read`. Streams leave out what the credential may not read, and asking for it by name is a 403. A webhook gets only what the credential that set its URL or events may read, and only a credential that may read all it gets changes these. What a delivery sends is shown to, and replayed by, only those who may read its event. Only they give another URL to a webhook for which it waits; where 100,000 deliveries wait, only those who may read all kinds of events do.',
    gap: { question: 'Who gets which events?', file: 'server/src/kit/event.ts' },
  },
  {
    id: 'streams.commitOrder',
    says: 'An event that was made earlier and committed later is not lost to a team’s stream.',
  },
  {
    id: 'streams.teamRestart',
    says: 'A team’s stream resumed on any process loses and doubles nothing, each run in its own order.',
  },
  {
    id: 'streams.beforeFirst',
    says: 'A team’s stream begins with its position, so that a reader that is cut off before the first event can resume there.',
    gap: {
      question: 'Where does a reader resume that got no event yet?',
      file: 'server/src/features/runs/streamTeamEvents.ts',
    },
  },
  { id: 'streams.kinds', says: 'events= narrows a team’s stream to kinds; an unknown kind is a 400 that lists them.' },
  {
    id: 'streams.kept',
    says: 'A Last-Event-ID whose followers are older than a day gets gap, then the oldest kept.',
    gap: { question: 'How does a reader know that it missed something?', file: 'server/src/kit/eventPositions.ts' },
  },
  {
    id: 'streams.newLine',
    says: 'A reader who comes back after more than a day gets `gap` and the last day.',
  },
  { id: 'streams.runOrder', says: 'Positions follow the sequence of each run, whatever the times of its events.' },
  { id: 'streams.backlog', says: 'A reader who is thousands of events behind gets all of them, once and in order.' },
  {
    id: 'streams.insertCost',
    says: 'The events of one change of a run are one row, which enters three indexes and is written once, whether its team is streamed or not.',
  },
  {
    id: 'streams.othersDoNotDelay',
    says: 'A transaction of another database of the cluster holds no stream back.',
  },
  {
    id: 'streams.movedDatabase',
    says: 'A database that is restored into another cluster keeps the order of its streams, whatever that cluster counts.',
  },
  {
    id: 'streams.upgrade',
    says: 'A team’s stream takes the whole numbers that were its ids before version 0.7: the reader gets `gap` and what came since the upgrade.',
  },
  { id: 'streams.plans', says: 'What the look of open streams asks goes by indexes.' },
  {
    id: 'streams.slow',
    says: 'A reader that takes nothing is disconnected after 30 s, costs little until then, harms no other, and can resume.',
  },
  { id: 'streams.behind', says: 'A reader that falls 1 MiB of text behind is let go at once.' },
  { id: 'streams.heartbeat', says: 'A quiet stream sends a comment every 15 s, with the position passed so far.' },
  {
    id: 'streams.credential',
    says: 'A stream ends within seconds after its key is revoked.',
    gap: { question: 'What happens to an open stream when its key is revoked?', file: 'server/src/kit/openStreams.ts' },
  },
  { id: 'streams.log', says: 'The end of a stream is one log line with request id, reason and number of events.' },
  { id: 'streams.drain', says: 'Streams of a stopping process end with a comment, and none keeps it from stopping.' },
  {
    id: 'routes.rounds',
    says: 'If no model of a list answers, all are asked again with growing pauses; after ten rounds the failure names each with its reason.',
  },
  {
    id: 'routes.breakerOfTeam',
    says: 'What makes a provider fail for one team turns no other team away from it, and broken answers open no breaker.',
  },
  {
    id: 'deltas.here',
    says: 'Text reaches the streams on its run in the same process, gathered over 100 ms, without an id.',
  },
  { id: 'deltas.elsewhere', says: 'Text reaches streams of other processes in order, in calls of at most 7 KiB.' },
  { id: 'deltas.unwatched', says: 'Text of a run that nobody watches is not called out.' },
  {
    id: 'deltas.secrets',
    says: 'Secrets are cut out of text while it is written, wherever the pieces of it begin and end.',
  },
  { id: 'deltas.model', says: 'Deltas come while the model speaks, before the message they make up.' },
  // Engine
  { id: 'runs.plans', says: 'No hot statement of the engine reads a large table whole.' },
  { id: 'runs.light', says: 'What a run writes between two moves is in no index of runs.' },
  {
    id: 'plans.small',
    says: 'A plan goes by an index also while its table is small, for it is kept when the table has grown.',
  },
  {
    id: 'humanRequests.timeout',
    says: 'A request that nobody answers in time ends in its stated outcome, with its event.',
  },
  { id: 'humanRequests.hash', says: 'An approval is bound to the call and to every value of its arguments.' },
  { id: 'lanes.batch', says: 'What arrives while a write is under way shares the next commit.' },
  {
    id: 'lanes.pause',
    says: 'Where many small writes of one row come, a pause between two commits lets more of them share one.',
  },
  { id: 'lanes.patience', says: 'A start may wait for a place that is about to be free, but not for long.' },
  { id: 'lanes.order', says: 'Writes of one run keep their order and never share a commit.' },
  {
    id: 'lanes.alone',
    says: 'A write that PostgreSQL refuses fails alone; after a lost connection nothing is repeated blindly.',
  },
  {
    id: 'lanes.apart',
    says: 'What may wait for a row of its own team has commits of its own: one of a team at a time, those of a few teams side by side.',
  },
  {
    id: 'lanes.locked',
    says: 'A commit of several teams that did not get a lock is made again by team; one of a single team is refused whole.',
  },
  // Writes
  {
    id: 'runs.fencedEffect',
    says: 'Of runs that share a commit, one that was taken away leaves no effect behind, and the others have theirs.',
  },
  {
    id: 'runs.sharedCommit',
    says: 'Of runs that share a commit, one whose write is tried again after it fails alone: the others count as written.',
  },
  {
    id: 'runs.largeApart',
    says: 'A start with a large message is written in a commit of its own, and starts of other teams do not wait for it.',
  },
  {
    id: 'runs.limitLocked',
    says: 'While the row of a team’s own limit is locked, only what that team stores waits for it: no write or start of another team does.',
  },
  {
    id: 'runs.messageNumbers',
    says: 'The event about a message has the number of that message, also if somebody else wrote a message that the holder of the run had not seen.',
  },
  // Triggers
  {
    id: 'triggers.fields',
    says: 'Each kind of trigger takes its own fields; what is missing, of another kind or no expression is a 400 that says which.',
  },
  {
    id: 'triggers.verifiers',
    says: 'A webhook accepts exactly what GitHub, Stripe, Slack, Standard Webhooks or the holder of a plain secret signed, within five minutes where they sign a time.',
  },
  {
    id: 'triggers.unproved',
    says: 'What does not prove its sender gets a 401 and is not stored; an unknown address is a 404 and a paused one a 409.',
  },
  {
    id: 'triggers.once',
    says: 'What came in is answered 202 once it is stored, and each key starts one run, however often it is sent.',
  },
  {
    id: 'triggers.judged',
    says: 'Filter, key and message read what came in, in counted steps, for which their team pays one delivery at a time; what cannot be evaluated fails with the reason.',
  },
  {
    id: 'triggers.content',
    says: 'JSON arrives as a value, a form as an object and anything else as text; what is too large or no text is a 400.',
    gap: { question: 'What may a webhook bring?', file: 'server/src/features/triggers/readContent.ts' },
  },
  {
    id: 'triggers.concurrency',
    says: 'No more runs of a trigger are active at once than its concurrency says; the others wait for their turn.',
  },
  {
    id: 'triggers.turns',
    says: 'Triggers are served in turns by team: one of each, then the next of each. One that cannot proceed holds up no other.',
  },
  {
    id: 'triggers.deliveries',
    says: 'Deliveries are listed with what became of each; a replay goes through the trigger as it is now, and its key does not hold it back.',
  },
  {
    id: 'triggers.readers',
    says: 'What an event brought to a trigger is shown only to credentials with the scope of that event; for others it is null.',
    gap: {
      question: 'Who reads what an event brought to a trigger?',
      file: 'server/src/features/triggers/triggerDelivery.ts',
    },
  },
  {
    id: 'triggers.secret',
    says: 'Secrets of triggers are sealed and never answered, neither are they stored with a delivery; addresses are sealed, and only for callers who may change the trigger.',
  },
  {
    id: 'triggers.events',
    says: 'An event of the team starts a run of each trigger for it; an event that the trigger’s own runs caused starts none.',
    gap: { question: 'What bounds a loop of events?', file: 'server/src/features/triggers/loops.ts' },
  },
  {
    id: 'triggers.minute',
    says: 'A trigger starts at most 60 runs a minute for events; each event is counted once, when its turn comes.',
  },
  {
    id: 'triggers.eventsMax',
    says: 'A team has at most 100 triggers for events, paused ones included; one more is a 409.',
    gap: {
      question: 'How many triggers may wait for an event?',
      file: 'server/src/features/triggers/insertTrigger.ts',
    },
  },
  {
    id: 'triggers.polls',
    says: 'What is new by its key in the answer of a connection’s tool starts a run, and what the first answer had does not unless asked for.',
    gap: { question: 'Does the first poll start runs?', file: 'server/src/features/triggers/pollOne.ts' },
  },
  {
    id: 'triggers.mail',
    says: 'Mail for the address of a trigger starts a run where the operator switched it on; what is too large, too much or for nobody is refused, and one mail starts one run.',
    gap: { question: 'How does a trigger get mail?', file: 'server/src/features/triggers/mailbox.ts' },
  },
  {
    id: 'triggers.deleted',
    says: 'A trigger goes with its agent, and what came in with the run that it started; a key stays taken.',
  },
  {
    id: 'triggers.limits',
    says: 'Deliveries to one trigger, and replays of them, are limited by the minute, by how many wait and by the storage of the team; a stranger cannot use up its minute.',
  },
  {
    id: 'triggers.storage',
    says: 'A team that may store no more gets nothing of events for its triggers but a row an hour that says so; an event that is dropped because too many waited has no content.',
    gap: {
      question: 'What becomes of events for triggers when the storage of the team is full?',
      file: 'server/migrations/0132_storage_of_events_and_replays.sql',
    },
  },
  {
    id: 'triggers.killed',
    says: 'However often processes are killed, each key of what came in starts one run, and each item of a poll does.',
  },
  // Schedules
  {
    id: 'kit.tick',
    says: 'A feature’s tick runs twice a second in every working process, in a loop of its own that a failure does not end and a stop waits for.',
  },
  {
    id: 'kit.look',
    says: 'Whether anything is due is asked for all loops of a process in one statement, which goes by indexes.',
  },
  { id: 'schedules.create', says: 'A schedule is answered bare, with its defaults and its next time.' },
  {
    id: 'schedules.fields',
    says: 'Each frequency takes its own fields; a missing one or one of another frequency is a 400 that says which.',
    gap: {
      question: 'What if a field does not go with the frequency?',
      file: 'server/src/features/schedules/timing.ts',
    },
  },
  {
    id: 'schedules.update',
    says: 'A change of the timing counts from now, any other leaves the next time alone; fields that a new frequency has no use for fall away.',
    gap: {
      question: 'When does a change move the next time?',
      file: 'server/src/features/schedules/updateSchedule.ts',
    },
  },
  {
    id: 'schedules.enabled',
    says: 'A paused schedule has no next time and drops what it held; enabling counts from now and takes back an automatic disabling.',
  },
  {
    id: 'schedules.preview',
    says: 'The preview gives the next five due times as next_runs; for a schedule that fires once only that one, for a disabled one those that it would have.',
    gap: { question: 'What does the preview answer?', file: 'server/src/features/schedules/getSchedulePreview.ts' },
  },
  {
    id: 'schedules.previewTiming',
    says: 'The next five due times of a timing are answered before there is a schedule, and what is wrong with it in the words of createSchedule.',
  },
  { id: 'schedules.delete', says: 'A deleted schedule is gone, and an agent’s schedules go with it.' },
  {
    id: 'schedules.most',
    says: 'An agent has at most 100 schedules, however many are made at once; more is a 409.',
    gap: { question: 'How many schedules may an agent have?', file: 'server/src/features/schedules/createSchedule.ts' },
  },
  { id: 'schedules.frequencies', says: 'Each frequency is due at its times, by the calendar of its time zone.' },
  { id: 'schedules.monthEnds', says: 'A day of the month that a month lacks is its last one, in leap years too.' },
  {
    id: 'schedules.gap',
    says: 'A time that daylight saving skips is due once, at the instant of the skip.',
    gap: { question: 'What is the next valid instant?', file: 'server/src/base/wallClock.ts' },
  },
  { id: 'schedules.overlap', says: 'A time that occurs twice is due once, when it occurs first.' },
  {
    id: 'schedules.everyHour',
    says: 'What names no hour goes by the time that passes: through both passes of an hour, and over a skipped one.',
    gap: { question: 'What does daylight saving do to hourly schedules?', file: 'server/src/base/schedule.ts' },
  },
  {
    id: 'schedules.cron',
    says: 'Cron takes steps, lists, ranges and names; when both days are restricted, either fits.',
  },
  {
    id: 'schedules.cronProblems',
    says: 'A text that is not a cron expression of five fields is refused with the position of the mistake; L, W, #, ? and nicknames are refused.',
    gap: { question: 'Which cron is accepted?', file: 'server/src/base/cron.ts' },
  },
  { id: 'schedules.never', says: 'A cron expression that no date fits is never due.' },
  { id: 'schedules.timezones', says: 'A time zone is an IANA name, old ones included, and no offset.' },
  { id: 'schedules.latest', says: 'After any stand-still the latest due times are found by halves.' },
  {
    id: 'schedules.fire',
    says: 'A due schedule starts a run as its maker, with its message and source schedule, and moves on in the same transaction; metadata names schedule and due time.',
    gap: { question: 'How is a run traced to its schedule?', file: 'server/src/features/schedules/startDue.ts' },
  },
  {
    id: 'schedules.exactlyOnce',
    says: 'Each due time fires once over any number of processes, also when one is cut off.',
  },
  { id: 'schedules.liveBuild', says: 'The build that is live at the due time is run.' },
  {
    id: 'schedules.overlapping',
    says: 'While the run before is active a due time is skipped, held back (one at most) until that one has ended, or fired all the same.',
    gap: { question: 'What does overlap queue mean?', file: 'server/src/features/schedules/firing.ts' },
  },
  {
    id: 'schedules.catchUp',
    says: 'A due time is missed after 60 s: then none fires, or the latest unless one is in time, or the latest 100.',
    gap: { question: 'How late is missed, and what is made up for?', file: 'server/src/features/schedules/firing.ts' },
  },
  {
    id: 'schedules.inTurn',
    says: 'With overlap skip or queue, missed due times of catch_up all run one after another.',
    gap: { question: 'How do catch_up all and overlap meet?', file: 'server/src/features/schedules/firing.ts' },
  },
  {
    id: 'schedules.once',
    says: 'One that does not recur fires once and is disabled; a due time that came to nothing does not count.',
    gap: { question: 'What if a one-off is skipped or missed?', file: 'server/src/features/schedules/firing.ts' },
  },
  {
    id: 'schedules.givesUp',
    says: 'After ten due times in a row that failed for a reason that only a person can fix, a schedule disables itself and says why.',
    gap: { question: 'When does a schedule disable itself?', file: 'server/src/features/schedules/givingUp.ts' },
  },
  {
    id: 'schedules.poison',
    says: 'A schedule that cannot be fired is put off by half a minute and holds up no other.',
    gap: { question: 'What if firing itself fails?', file: 'server/src/features/schedules/fireSchedules.ts' },
  },
  {
    id: 'schedules.retried',
    says: 'A schedule that could not be fired keeps its due times until it is. With catch_up none, a due time that could not be fired at first, or waited for other schedules, still starts its run.',
  },
  // The builder
  {
    id: 'builder.generate',
    says: 'generateRevision proposes a procedure with its diff; the draft changes only when it is accepted.',
  },
  {
    id: 'builder.generateCopies',
    says: 'On a live or historic build a draft is made first, and that is what is written.',
  },
  {
    id: 'builder.oneActive',
    says: 'A build has one active builder run; while it is active, the build is neither promoted nor given another config.',
    gap: {
      question: 'May a draft be changed while a builder run is active?',
      file: 'server/src/features/agents/updateRevision.ts',
    },
  },
  { id: 'builder.promoteRace', says: 'Of a promotion and a generation at the same moment, either sees the other.' },
  {
    id: 'builder.ask',
    says: 'Every question that is asked needs an answer, in words or labels; of two that answer at once one is heard.',
    gap: {
      question: 'Must an answer be one of the options?',
      file: 'server/src/features/agents/builder/resumeBuilderRun.ts',
    },
  },
  {
    id: 'builder.discard',
    says: 'discard ends a builder run in review, waiting, running or pending, and the draft is as it was; with none active it is a 409.',
    gap: {
      question: 'Can a builder run be discarded before it proposes?',
      file: 'server/src/features/agents/builder/discardRevision.ts',
    },
  },
  {
    id: 'builder.discardRunning',
    says: 'A model that still writes for a discarded builder run is cut off and not heard.',
  },
  {
    id: 'builder.stale',
    says: 'A decision on another builder run than the active one is 409 stale_review; an id that names none is a 404.',
    gap: {
      question: 'What is a builder_run_id that names nothing?',
      file: 'server/src/features/agents/builder/reviewGuard.ts',
    },
  },
  { id: 'builder.acceptChecks', says: 'A proposed config is checked again when it is accepted.' },
  {
    id: 'builder.lesson',
    says: 'A run of the same agent is learned from, by who may read runs; any other run_id is a 404.',
  },
  {
    id: 'builder.forgets',
    says: 'What was read of a run is kept only until the proposal, and goes when the run is deleted.',
    gap: {
      question: 'How long does a builder run keep what it read of a run?',
      file: 'server/src/features/agents/builder/lesson.ts',
    },
  },
  {
    id: 'builder.nothing',
    says: 'A builder run with nothing to change, or words that cannot become a procedure, fails with that reason.',
    gap: {
      question: 'What is a proposal without a change?',
      file: 'server/src/features/agents/builder/modelBuilder.ts',
    },
  },
  { id: 'builder.agentDeleted', says: 'Deleting an agent ends its builder runs.' },
  { id: 'builder.revived', says: 'A builder run whose job is gone gets another.' },
  { id: 'builder.latest', says: 'getRevisionBuilderRun gives the latest one, 404 if there is none.' },
  {
    id: 'builder.deterministic',
    says: 'Without a model the words of the prompt become goal, steps and notes by plain rules; blocks stay as they are.',
  },
  { id: 'builder.deterministicAsks', says: 'Without a model only a missing goal and a missing finish are asked for.' },
  {
    id: 'builder.deterministicKeeps',
    says: 'Without a model what is there is kept to the letter, and more is added behind it.',
  },
  { id: 'builder.deterministicLesson', says: 'Without a model a run leaves a note of its error or output.' },
  {
    id: 'builder.deterministicNoModel',
    says: 'A procedure of prose for an agent without a model says in its notes that it cannot be carried out.',
  },
  {
    id: 'builder.model',
    says: 'A model is told wish, procedure, tools and blocks; its proposal goes to review with its tokens and cost.',
  },
  {
    id: 'builder.modelAsks',
    says: 'A model may ask a person, at most three times.',
    gap: { question: 'How often may the builder ask?', file: 'server/src/features/agents/builder/modelBuilder.ts' },
  },
  {
    id: 'builder.modelCorrected',
    says: 'A malformed answer or a procedure that cannot run goes back to the model up to three times, then it fails with the problem.',
  },
  { id: 'builder.modelLesson', says: 'Error, steps and messages of a run are told to the model as data.' },
  { id: 'builder.modelText', says: 'What PostgreSQL cannot hold of a model’s text is left out.' },
  {
    id: 'builder.modelTrouble',
    says: 'A provider that fails is asked again later and holds no worker until then; after eight times the builder run fails with the provider’s message.',
    gap: {
      question: 'How long does a builder run wait for its provider?',
      file: 'server/src/features/agents/builder/advanceBuilder.job.ts',
    },
  },
  {
    id: 'builder.modelRefused',
    says: 'A provider’s refusal ends a builder run at once, with its words and without the key.',
  },
  {
    id: 'builder.whichModel',
    says: 'The server’s model writes; without one the build’s own; without that the deterministic builder.',
    gap: {
      question: 'Which model writes when server and build differ?',
      file: 'server/src/features/agents/builder/builderRun.ts',
    },
  },
  {
    id: 'builder.uses',
    says: 'A model is told what its team has by name, in bounded lists: no value, nothing of another team, nothing private of another member.',
  },
  {
    id: 'builder.setup',
    says: 'A proposal may name secrets, logins, skills, files, connections, plugins, models and on_limit; the draft has them once it is accepted.',
  },
  {
    id: 'builder.missing',
    says: 'What a draft needs and the team does not have is asked for with a pick list, and never written into the draft.',
    gap: {
      question: 'What if the builder needs a secret that there is not?',
      file: 'server/src/features/agents/builder/missingRecords.ts',
    },
  },
  {
    id: 'builder.values',
    says: 'What looks like the value of a secret is cut out of requests and answers, is not told to a model, and is refused in a draft.',
    gap: {
      question: 'What if somebody writes a password into the builder?',
      file: 'server/src/features/agents/builder/cutValues.ts',
    },
  },
  {
    id: 'builder.valuesByRule',
    says: 'Without a model a person picks the secret whose reference stands where a value was.',
  },
  {
    id: 'builder.starts',
    says: 'Proposed schedules and triggers are made paused with the acceptance, and switched on with the promotion unless somebody touched them.',
    gap: {
      question: 'When do triggers that a builder proposed begin?',
      file: 'server/src/features/agents/builder/proposedTriggers.ts',
    },
  },
  { id: 'builder.places', says: 'A process is at four builder runs at a time; other jobs have room.' },
  { id: 'builder.language', says: 'The blocks that a model is told are those that there are, and the example runs.' },
  {
    id: 'builder.progress',
    says: 'Headings are told as the model writes them, at most once a second; one that is not ours any more is cut off.',
  },
  {
    id: 'builder.deaths',
    says: 'A process that dies at any statement or during a model call changes neither the end of a builder run nor tells progress twice.',
  },
  { id: 'builder.fenced', says: 'A holder that was taken for dead can write nothing.' },
  { id: 'builder.claims', says: 'A builder run that is cut off every time fails with that reason after 25 claims.' },
  { id: 'builder.killed', says: 'Workers killed at random moments lose no builder run.' },
  // Survival of runs
  {
    id: 'runs.killed',
    says: 'Workers killed at random moments lose no run, repeat no finished call, and repeat no call in doubt without a person’s word.',
  },
  { id: 'runs.keyedStart', says: 'Concurrent starts with one key over several processes make one run.' },
  {
    id: 'runs.noisyTeam',
    says: 'A team that starts far more than its places keeps no other team’s runs from starting.',
  },
  {
    id: 'runs.stoppedInEveryPhase',
    says: 'A stop counts from its answer on in every phase: nothing is written after it, and no call is made that had not begun.',
  },
  { id: 'runs.neighbours', says: 'A stop fails or doubts no other run that shares its commits.' },
  { id: 'runs.subRunLocks', says: 'Runs that start, await and stop runs cause no deadlock.' },
  {
    id: 'runs.zombie',
    says: 'A worker whose runs were taken over while it stood still can change nothing of them, except to store the answers that it has.',
    gap: { question: 'Who has the runs of a process that stands still?', file: 'server/src/kit/presence.ts' },
  },
  { id: 'runs.lostClaim', says: 'A claim whose answer was lost is found by its own process and given back.' },
  {
    id: 'runs.lostLock',
    says: 'A worker without its lock for more than 3 s claims nothing; what it has under way continues.',
  },
  {
    id: 'execs.deadly',
    says: 'A command that three workers died over is given up with that sentence; from the second death on nothing runs beside it.',
  },
  {
    id: 'runs.outcomeKept',
    says: 'A worker that lives through an outage of PostgreSQL keeps the outcomes it has: nobody is asked, and no call is repeated.',
  },
  {
    id: 'alone.told',
    says: 'The process for work that others died over is killed when it hangs; a death, a failure and a start that failed are told apart.',
  },
  {
    id: 'alone.company',
    says: 'Work that processes died over shares one process; if that dies, each piece has a process for itself the next time.',
  },
  {
    id: 'alone.turns',
    says: 'No team and no kind of work has all seats in a process for suspects; the others take turns.',
  },
  { id: 'alone.heap', says: 'A process for suspects has less memory than its parent, so it dies alone.' },
  { id: 'alone.orphan', says: 'A process for suspects that hangs ends itself when its parent was killed.' },
  {
    id: 'runs.spared',
    says: 'When processes die that could have held a run and did not, the run is charged with fewer deaths, so innocent runs continue at once.',
  },
  {
    id: 'runs.sparedTwice',
    says: 'Runs that kill their processes do not excuse each other for ever: a death over a run that was charged before speaks for another run at most twice, any other death at most twenty times.',
  },
  {
    id: 'runs.diedTogether',
    says: 'A run that kills its process and the process that watches it is counted by whoever finds them dead, and given up.',
  },
  { id: 'jobs.putBack', says: 'A job that is put back because its team has its share keeps its deaths and attempts.' },
  {
    id: 'jobs.diedTogether',
    says: 'A job that kills its process and the process that keeps its lock is counted by whoever finds them dead, and given up.',
  },
  {
    id: 'webhooks.diedTogether',
    says: 'A delivery that kills its process and the process that watches it is counted by whoever finds them dead, and becomes a dead letter.',
  },
  {
    id: 'jobs.diedInLastAttempt',
    says: 'A death is never the last attempt of a job: there is always a process that says that the job is given up.',
  },
  { id: 'jobs.deathsSwept', says: 'The counted deaths of jobs that are gone are forgotten.' },
  {
    id: 'evals.deadly',
    says: 'A run whose evaluation by rule kills processes is left out and given up; those beside it are evaluated.',
  },
  {
    id: 'work.deadly',
    says: 'A builder run, a judgement, a delivery or a job that at least three processes died over is given up and says so; work beside it is done.',
  },
  {
    id: 'runs.deadly',
    says: 'A run that at least three processes died over at the same place fails with internal_error and says so; runs beside it are not harmed.',
  },
  {
    id: 'storable.values',
    says: 'What PostgreSQL cannot hold of a foreign value (NUL, half a character, endless nesting) is replaced before it is stored.',
  },
  {
    id: 'runs.unstorable',
    says: 'An answer that PostgreSQL cannot hold is kept without the part it cannot hold: the call is made once, and its run continues.',
  },
  {
    id: 'runs.unsaved',
    says: 'A call whose result cannot be written for any reason is not repeated: its step ends with that sentence.',
  },
  // Reading runs
  {
    id: 'runs.list',
    says: 'Runs are listed newest first, twenty at a time, each as getRun gives it, with the exact total.',
  },
  {
    id: 'runs.listFilters',
    says: 'Every filter and every pair of filters gives exactly the runs that fit; has_issues=false are runs whose latest evaluation found none.',
    gap: { question: 'Is a run without an evaluation free of issues?', file: 'server/src/features/runs/runFilter.ts' },
  },
  {
    id: 'runs.listSorts',
    says: 'By completed_at, a run that has not ended counts as the last to end.',
    gap: {
      question: 'Where do runs without an end stand when sorted by it?',
      file: 'server/src/features/runs/runPages.ts',
    },
  },
  { id: 'runs.listTotals', says: 'Totals of time ranges are exact to the millisecond.' },
  { id: 'runs.listNothing', says: 'A filter that names nothing, or two that exclude each other, give an empty page.' },
  { id: 'runs.listCountOnly', says: 'count_only and limit=0 give the total alone.' },
  {
    id: 'runs.listArtifacts',
    says: 'Runs of artifacts are in no list, total or search of runs unless it asks for source=artifact; then the list is exact, too.',
  },
  {
    id: 'runs.ofArtifacts',
    says: 'Runs of artifacts count in usage and limits like others. They are not evaluated; retryRun and postRunMessage are a 409 that names the operation of the artifact.',
    gap: {
      question: 'What may be done with a run that works on an artifact?',
      file: 'server/src/features/runs/retryRun.ts',
    },
  },
  {
    id: 'runs.private',
    says: 'A run of a private artifact and all that belongs to it exist only for the member who made the artifact: for others they are a 404, and in no list, inbox, stream or webhook. Once the artifact is deleted, nobody finds its runs.',
    gap: {
      question: 'Who sees the runs behind a private artifact?',
      file: 'server/src/engine/ledger/visibleRuns.ts',
    },
  },
  {
    id: 'agents.figures',
    says: 'A list of agents shows the last run of each, its week, its median cost and time, its next start and its draft.',
  },
  { id: 'agents.figuresPage', says: 'Figures of agents have the pages of listAgents, and only agents of the team.' },
  { id: 'agents.figuresPlan', says: 'One statement reads the figures of a page of agents, by its indexes.' },
  // Mails
  {
    id: 'mail.message',
    says: 'A mail arrives as it was written, and no text of others becomes a header, a recipient or HTML.',
  },
  {
    id: 'mail.outcomes',
    says: 'Handing over a mail ends in one of four ways: accepted, refused, not handed over, in doubt; it is in doubt only after its end was sent.',
  },
  { id: 'mail.bounded', says: 'What a mail server says, and how long it takes, is bounded.' },
  {
    id: 'mail.login',
    says: 'A login is not sent without TLS unless the settings say so, and a certificate must be trusted.',
  },
  { id: 'mail.settings', says: 'Settings of mails that are wrong or incomplete are reported at the start.' },
  // Notifications
  {
    id: 'notifications.choices',
    says: 'A member chooses by kind: told at once, in a daily digest, or not; quiet hours delay mails.',
  },
  {
    id: 'notifications.told',
    says: 'Requests, failed runs, broken connections and failing deliveries are told by mail to members who want it, may know it and have a confirmed address.',
  },
  {
    id: 'notifications.once',
    says: 'What happened is told to a member once; what is over before the mail is sent is not told.',
  },
  {
    id: 'notifications.doubt',
    says: 'A mail whose hand-over is in doubt is never sent again; another mail follows after 15 minutes if the matter is still open.',
    gap: {
      question: 'What becomes of a mail whose process died after its end was sent and before the answer was written?',
      file: 'server/src/features/notifications/outbox.ts',
    },
  },
  {
    id: 'notifications.bounded',
    says: 'Mails of a team and to a member are bounded; what exceeds that comes in one mail later.',
  },
  { id: 'notifications.fair', says: 'A team with many mails does not delay the mail of another.' },
  {
    id: 'notifications.confirm',
    says: 'Mails go only to an address that its member has confirmed; a confirmation holds nothing that a tenant wrote.',
  },
  { id: 'notifications.survive', says: 'However often workers are killed, each member is told of each request once.' },
  { id: 'notifications.plan', says: 'The statements of mails go by indexes, however many mails there were.' },
  // Alerts
  {
    id: 'alerts.rules',
    says: 'A team has up to 100 rules over six signals; a wrong one is refused with every problem that it has.',
  },
  {
    id: 'alerts.signals',
    says: 'A rule measures failure rate, waiting age, cost, queue age, failed deliveries or missed due times, and names the records behind it.',
  },
  {
    id: 'alerts.states',
    says: 'An incident opens when a signal is at its threshold for its time, and closes when it is below the lower one for its time.',
  },
  { id: 'alerts.flapping', says: 'A signal that flaps is one incident.' },
  {
    id: 'alerts.once',
    says: 'However many processes watch, and whichever dies, a rule has one incident at a time, which is told once when it opens and once when it closes.',
  },
  { id: 'alerts.told', says: 'Incidents are told by mail, as members choose, to those whom the rule names.' },
  {
    id: 'alerts.reminded',
    says: 'An open incident that nobody has acknowledged is told again after the time of its rule.',
  },
  {
    id: 'alerts.over',
    says: 'A rule that is switched off, deleted, or without its subject closes its incident and says why.',
  },
  { id: 'alerts.pause', says: 'A rule can pause its agent, which only a person resumes.' },
  {
    id: 'alerts.preview',
    says: 'A rule can be tried before it is made: what it would measure now, and in the last week where that is stored.',
  },
  {
    id: 'alerts.readBy',
    says: 'A rule is made, changed and tried, and the records behind its incidents are shown, only with the scope that reads what its signal measures.',
  },
  {
    id: 'alerts.value',
    says: 'The latest value of a rule is for credentials with the scope that reads its signal; the values of an incident are for everybody.',
  },
  { id: 'alerts.fair', says: 'A team with many rules does not delay the rule of another.' },
  {
    id: 'alerts.idle',
    says: 'Without rules that are due, alerts cost no statement: they are part of what all loops ask together.',
  },
  { id: 'alerts.plan', says: 'What rules measure is read by indexes and is bounded, however many runs a team has.' },
  {
    id: 'alerts.survive',
    says: 'However often workers are killed, each incident is told once when it opens and once when it closes.',
  },
  {
    id: 'agents.pause',
    says: 'No run of a paused agent’s live build starts: callers are refused, schedules skip, what came in for triggers and queues waits; runs under way and drafts continue.',
    gap: {
      question: 'What does a paused agent still do?',
      file: 'server/src/engine/starting/pauses.ts',
    },
  },
  { id: 'schedules.misses', says: 'A due time for which nothing was started is noted with its reason.' },
  { id: 'preferences.tour', says: 'The page remembers on the server who took or skipped its tour.' },
  { id: 'views.own', says: 'A member saves, lists, changes and deletes views of a list.' },
  {
    id: 'views.shared',
    says: 'A view is its maker’s own, or shared: then the team reads it, and only its maker changes it.',
  },
  { id: 'views.bounds', says: 'A saved filter is a small object of texts, and a member has at most 100 views.' },
  { id: 'views.plan', says: 'No list of views reads those of other teams.' },
  {
    id: 'procedures.check',
    says: 'A procedure is checked as it is typed: problems at their lines, and the steps that it has.',
  },
  {
    id: 'procedures.language',
    says: 'The words of procedures are those that the parser takes: kinds of blocks, options with their values, filters, and what values begin with.',
  },
  {
    id: 'procedures.fix',
    says: 'A problem of a procedure has a fix where a word is nearly another one that can stand there.',
  },
  {
    id: 'procedures.afterCrash',
    says: 'A checked step says what becomes of it when a process dies, by the rule by which the engine then acts.',
  },
  {
    id: 'procedures.inputs',
    says: 'What the steps of a build read of the message is a JSON Schema, for the build that runs and for a procedure that is not saved yet.',
  },
  {
    id: 'promotions.preview',
    says: 'A preview says what promoting a build would change, which schedules and triggers would use it, and whether it would be refused; the promotion does what the preview says.',
  },
  { id: 'procedures.checkConfig', says: 'A check of a procedure also says what is wrong with its config.' },
  { id: 'procedures.checkRows', says: 'A check of a procedure costs no row in the database.' },
  { id: 'procedures.checkBounds', says: 'A check of a procedure is bounded, and its time is charged to the team.' },
  {
    id: 'overview.get',
    says: 'The overview shows failures by agent and code, next starts, failing delivery targets and broken connections.',
  },
  { id: 'overview.scopes', says: 'The overview leaves out what the credential may not read.' },
  { id: 'overview.plans', says: 'The overview reads failures from an index of their own.' },
  {
    id: 'runs.overTime',
    says: 'Counts of runs over time are exact for every filter, with what the ended ones cost, before and after changes are folded.',
  },
  {
    id: 'runs.overTimeBuckets',
    says: 'Counts over time have at most 400 buckets: minutes and hours of UTC, and days of any time zone.',
  },
  { id: 'runs.overTimeCompare', says: 'Counts over time give the same length of time before it, if asked.' },
  { id: 'runs.overTimePrivate', says: 'Counts over time are of one team, without the runs of artifacts.' },
  { id: 'runs.overTimePlans', says: 'No counts over time read the whole table.' },
  { id: 'runs.listPlans', says: 'No filter, pair of filters or order reads the whole table.' },
  {
    id: 'runs.searchText',
    says: 'Search takes whole words, and all of them must be there; a trailing asterisk makes the last word a prefix; no search text is refused, and one without words filters nothing.',
    gap: { question: 'What does search match?', file: 'server/migrations/0012_run_lists.sql' },
  },
  {
    id: 'runs.searchFrequent',
    says: 'Words that thousands of runs have are found and counted exactly, also when all of these are old.',
  },
  {
    id: 'runs.searchTotals',
    says: 'A remembered total stays exact while runs are written and deleted, in whatever order they commit.',
  },
  { id: 'runs.counts', says: 'Totals are those of the rows after any moves, before and after folding.' },
  { id: 'runs.countsTogether', says: 'Movers, folders and readers at once leave nothing out and count nothing twice.' },
  { id: 'runs.countsUndone', says: 'A change that is rolled back is not counted.' },
  { id: 'runs.countsFold', says: 'A list that finds many deltas has them folded.' },
  { id: 'runs.countsSpans', says: 'A range of time is cut into days, hours and edges without a gap.' },
  { id: 'runs.messagesList', says: 'Messages come oldest first; an offset is the number of the message before.' },
  { id: 'runs.messagesShown', says: 'A message never shows what the model’s driver keeps with it.' },
  {
    id: 'runs.detail',
    says: 'getAgentRun adds agent, build, totals, callback, and the first 200 human requests and sub-runs.',
    gap: {
      question: 'How many requests and sub-runs does the detail list?',
      file: 'server/src/features/runs/getAgentRun.ts',
    },
  },
  {
    id: 'runs.detailParent',
    says: 'Below another or a deleted agent a run is a 404; by getRun it stays readable.',
    gap: { question: 'Are runs readable below a deleted agent?', file: 'server/src/features/runs/getAgentRun.ts' },
  },
  {
    id: 'runs.report',
    says: 'The report has every step and their sums; open steps are `running` or `waiting`.',
    gap: { question: 'Which status has a step that has not ended?', file: 'server/src/features/runs/report.ts' },
  },
  {
    id: 'runs.reportCut',
    says: 'Inputs and outputs are cut at 16 KiB with a mark; a run with more than 1,000 steps shows the last 1,000, with steps_total.',
    gap: { question: 'How long may a report be?', file: 'server/src/features/runs/report.ts' },
  },
  {
    id: 'runs.reportOutcome',
    says: 'The outcome is one sentence for every state; failure_class is the error’s code.',
    gap: { question: 'What is a failure class?', file: 'server/src/features/runs/report.ts' },
  },
  {
    id: 'runs.calledOne',
    says: 'When a run is ready, one worker is notified, by turns, and not all. A worker that cannot take it notifies the others, and whoever was not notified finds the run within half a second.',
    gap: { question: 'Which worker takes a run that is ready?', file: 'server/src/engine/admission/readyCall.ts' },
  },
  {
    id: 'runs.pools',
    says: 'A build may ask for a pool of workers: only processes that serve it take its runs. A process may be there for one team, or for all but one.',
  },
  {
    id: 'runs.whyPending',
    says: 'A pending run tells its position on the waitlist and what is before it, or that no living worker takes it.',
  },
  { id: 'runs.whyRunning', says: 'A running run tells who works on it, since when, on what, and at which attempt.' },
  { id: 'runs.whyWaiting', says: 'A waiting run tells for what, since when, until when, and who can end it.' },
  { id: 'runs.whyEnded', says: 'An ended run tells when, and what went wrong or who stopped it.' },
  {
    id: 'runs.listedDetails',
    says: 'Up to 100 runs tell at once their build, step, whom they ask, which slots they wait for and who stopped them.',
  },
  { id: 'runs.why', says: 'Spans of time are said in their two largest units.' },
  { id: 'agents.runs', says: 'An agent tells how many runs it has and when the newest was made.' },
  // Moves of a run
  { id: 'runs.moves', says: 'A run moves only by the table of states, whoever writes: the database holds it too.' },
  {
    id: 'sandbox.manyFiles',
    says: 'A command that leaves more files than a workspace holds is refused by their number, before any is read or stored, and the next command finds the workspace as it was.',
  },
  // pools that teams share
  {
    id: 'pools.fair',
    says: 'A pool of a process gives one team at most its share; a freed slot goes to the waiting team that holds the fewest, and the line of a team is bounded.',
  },
  {
    id: 'pools.time',
    says: 'Beside other teams, one team uses at most a fifth of the main thread of a process and half of the cores in the database; past that, if no other team owes twice as much, its next requests, large bodies, turns of runs and live streams wait. A request that waited for 10 s is a 429. A piece of work of more than 1 ms is charged more than its time; bytes are charged for the garbage that they leave, and files of commands by their number. A statement is charged its part of the cores. Those who wait continue one at a time. A team that is alone never waits.',
    gap: { question: 'What may one team cost the others in the same process?', file: 'server/src/kit/teamTime.ts' },
  },
  {
    id: 'pools.commands',
    says: 'Commands in sandboxes, of runs and of callers, take turns by team: one team’s commands never hold all shells, and a team with 100 waiting gets a 429.',
  },
  {
    id: 'pools.statements',
    says: 'Requests of one team never hold all database connections that requests have, and requests together never hold those of runs and jobs.',
  },
  {
    id: 'pools.streams',
    says: 'Open streams are capped for a credential, a team and the process; one more is a 429 with Retry-After, and a stream that ends makes room.',
  },
  {
    id: 'pools.jobs',
    says: 'Jobs of one team never hold all job slots of a process, and jobs of all teams together leave some for the housekeeping of the service.',
  },
  {
    id: 'pools.commits',
    says: 'Starts and writes of runs share commits in turns: one of each team that waits, then the next of each.',
  },
  {
    id: 'pools.schedules',
    says: 'Schedules that are due fire in turns by team: one team’s ten thousand do not delay the one of another.',
  },
  {
    id: 'pools.judgements',
    says: 'Judgements that are due are taken in turns by team, and one team never holds all judges of a process.',
  },
  { id: 'pools.builders', says: 'Builder runs of one team never hold all builder slots of a process.' },
  {
    id: 'pools.browser',
    says: 'Browser sessions of one team never hold all of a process; more wait, in turns by team.',
  },
  {
    id: 'pools.transfers',
    says: 'Uploads, downloads and pictures by signed addresses take turns by team: one team’s slow ones never hold all transfers of a process, and past a bounded line it gets a 429.',
  },
  {
    id: 'pools.cases',
    says: 'Cases are given out in turns by team: one team’s many cases or queues do not delay the one case of another.',
  },
  {
    id: 'pools.runs',
    says: 'Runs of one team never hold all places of a process, whether they are claimed at their start, from the line or when they are ready.',
  },
  {
    id: 'pools.evaluations',
    says: 'Ended runs are evaluated in turns by team: one team’s hundred thousand, or its long logs, do not delay the run of another.',
  },
  {
    id: 'pools.priority',
    says: 'Commands in sandboxes run at a lower CPU priority than the service, so that endless loops do not slow everybody’s requests. While its team is ahead of its share, a command gets only what nobody else wants.',
  },
  // webhooks and deliveries
  {
    id: 'webhooks.create',
    says: 'A webhook is answered as {webhook, subscription_id}; a team’s webhooks are listed whole, the oldest first.',
  },
  {
    id: 'webhooks.fields',
    says: 'A webhook needs an address and at least one known event or `*`; what does not fit is a 400 that names the field.',
  },
  {
    id: 'webhooks.guard',
    says: 'A webhook’s address passes the guard when it is made or changed; one that is not public is a 400 url_not_allowed, and nothing is saved.',
  },
  { id: 'webhooks.most', says: 'A team has at most 50 webhooks, however many are made at once; the next is a 409.' },
  {
    id: 'webhooks.update',
    says: 'A change of a webhook changes the given fields only; one that a person switches off is not disabled.',
  },
  {
    id: 'webhooks.enable',
    says: 'Switching a webhook on takes back its disabling and its failures; a new address takes back its failures.',
  },
  {
    id: 'webhooks.delete',
    says: 'A deleted webhook drops what is not sent yet; what has ended can be read, not replayed; a second deletion is a 404.',
  },
  {
    id: 'webhooks.deletedAtOnce',
    says: 'However much waits for a webhook, its deletion is done at once: then nothing of it is shown or begun to be sent, and it is dropped in parts.',
  },
  {
    id: 'webhooks.walls',
    says: 'The address of a callback is no webhook: it is neither listed, changed, deleted nor tested.',
  },
  {
    id: 'webhooks.secret',
    says: 'A team has one webhook secret, made when it is first asked for, the same for all who ask at once.',
  },
  {
    id: 'webhooks.secretSealed',
    says: 'No column of any table holds a webhook secret in clear, stored replies included.',
  },
  {
    id: 'webhooks.rotate',
    says: 'A rotation replaces the secret at once; with overlap_seconds (0 to 604800) the secret before signs too until then.',
  },
  { id: 'webhooks.rotateTwo', says: 'At most two secrets sign: rotating again drops the older at once.' },
  {
    id: 'deliveries.made',
    says: 'An event and its deliveries are one transaction: one for each webhook that named it or `*`, a run’s in the order of its events.',
  },
  {
    id: 'deliveries.batches',
    says: 'What one change tells one target is one row, and every delivery in it can still be listed, read, retried and replayed by itself.',
  },
  {
    id: 'deliveries.inactive',
    says: 'Events pass by webhooks that are switched off or deleted; for disabled ones they are kept as dead letters, replayable once it is active.',
    gap: {
      question: 'What becomes of events while a webhook is disabled?',
      file: 'server/migrations/0018_webhooks.sql',
    },
  },
  {
    id: 'deliveries.id',
    says: 'An event to a target is one delivery with one id; two targets of an event get two ids and the same event_id.',
  },
  {
    id: 'deliveries.callback',
    says: 'A run’s callback URL gets six kinds of its events and no others; runs of a team with the same URL share a target.',
    gap: {
      question: 'What is the target of a callback: the run, or its URL?',
      file: 'server/migrations/0018_webhooks.sql',
    },
  },
  {
    id: 'deliveries.callbackEnded',
    says: 'A run whose receiver is gone gets no more, not even a replay; other runs with the same URL do.',
    gap: {
      question: 'Can a callback be replayed after its receiver answered 410?',
      file: 'server/src/features/webhooks/replay.ts',
    },
  },
  { id: 'deliveries.forgotten', says: 'An event that is erased takes its deliveries with it.' },
  {
    id: 'deliveries.forgottenByEvent',
    says: 'Erasing events costs the same however many webhooks and callback URLs their team has.',
  },
  { id: 'events.kinds', says: 'Every kind of event is a letter of its own in the table, and is told by its name.' },
  {
    id: 'events.sameBytes',
    says: 'Streams, webhooks and lists carry the same bytes of an event, however often it is read.',
  },
  {
    id: 'events.upgrade',
    says: 'A database whose events were rows of their own is converted while it is written to; no event and no delivery is lost.',
  },
  {
    id: 'deliveries.timing',
    says: 'An attempt says how long each of its stages took; what a delivery sends, and the health of its receiver, can be read.',
  },
  {
    id: 'deliveries.list',
    says: 'Deliveries are listed newest first, by status, event and webhook, with totals that are exact to 10,000 beyond the page.',
  },
  {
    id: 'deliveries.walls',
    says: 'Another team’s webhook, an unknown one and the target of a callback give an empty page; another team’s delivery is a 404.',
  },
  { id: 'deliveries.ofRun', says: 'Deliveries can be narrowed to those of one run.' },
  { id: 'deliveries.listPlans', says: 'No filter of deliveries, and no total, reads the whole table.' },
  { id: 'deliveries.get', says: 'A delivery is read with its attempts, the oldest first; lists leave them out.' },
  {
    id: 'deliveries.test',
    says: 'A test is one delivery of an example that fits its kind and says `"test": true`; it is not an event, and a 409 while the webhook is not active.',
    gap: {
      question: 'What does a test send, and when is it refused?',
      file: 'server/src/features/webhooks/testWebhook.ts',
    },
  },
  {
    id: 'deliveries.replay',
    says: 'A replay sends the same delivery again as a new round, due at once; earlier attempts stay in its log.',
  },
  {
    id: 'deliveries.replayOnlySettled',
    says: 'Only what is delivered or dead is replayed, and only to an active webhook; else it is a 409 that says what to do.',
  },
  {
    id: 'deliveries.replaySince',
    says: 'A webhook’s replay takes every settled delivery whose event happened at `since` or later, and tells how many of them are among the newest 100,000 of the team. It reads at most 10,000 in a statement. One that leaves kinds out is carried out by no process of the release before.',
  },
  {
    id: 'deliveries.replayRepeated',
    says: 'A replay that is carried out twice sends nothing twice; one that is cut off is carried on.',
  },
  {
    id: 'deliveries.kept',
    says: 'Dead letters and tests are kept for 30 days; what was delivered as long as its event.',
    gap: { question: 'How long is a test delivery kept?', file: 'server/src/features/webhooks/sweepDeliveries.job.ts' },
  },
  {
    id: 'deliveries.targetsForgotten',
    says: 'Addresses of callbacks without deliveries are forgotten once they are a day old, by a job that runs once a day, deleted webhooks likewise, but never one whose event is being written.',
  },
  {
    id: 'deliveries.forgottenByIndex',
    says: 'What is forgotten is found by indexes, and nobody waits for a search.',
  },
  {
    id: 'deliveries.dropped',
    says: 'What was written for a webhook while it was being deleted is dropped by the next sweep.',
  },
  {
    id: 'webhooks.verifiers',
    says: 'The public verifiers of both families accept every delivery and refuse one with a flipped byte.',
  },
  { id: 'webhooks.twoSecrets', says: 'During a rotation either secret verifies a delivery, and no third one.' },
  {
    id: 'webhooks.schedule',
    says: 'A delivery is attempted twelve times over about 76 hours, each a fifth early or late at most; the schedule is a setting.',
  },
  { id: 'webhooks.retryAfter', says: 'Retry-After of a 429 or 503 is honoured, within a second and a day.' },
  {
    id: 'webhooks.delivered',
    says: 'A webhook gets every event it named once, in its envelope, signed, with the headers of both families.',
  },
  {
    id: 'webhooks.retried',
    says: 'Every attempt has the same id and bytes and its own time; after the last one the delivery is dead, kept and replayable; 4 KiB of an answer are kept.',
  },
  { id: 'webhooks.waits', says: 'A delivery is tried again when its receiver said so.' },
  { id: 'webhooks.redirect', says: 'A redirect is not followed and counts as a failure.' },
  { id: 'webhooks.stages', says: 'A failed attempt names the stage it failed at.' },
  {
    id: 'webhooks.gone',
    says: 'A 410 disables a webhook at once; what waited and what comes are dead letters, replayable when it is switched on again.',
  },
  { id: 'webhooks.hopeless', says: 'A webhook without a success for five days of failing is disabled with a reason.' },
  {
    id: 'webhooks.breaker',
    says: 'After five failures in a row a target gets one trial every 30 s until one succeeds.',
  },
  {
    id: 'webhooks.disabledAtOnce',
    says: 'A target that is being disabled gets nothing more, not even a retry that is due at once.',
  },
  {
    id: 'webhooks.order',
    says: 'First attempts of one run’s events go to one target in order, each after the one before has ended.',
  },
  {
    id: 'webhooks.disabledInRounds',
    says: 'However much waits for a disabled webhook, a process gives up a part of it at a time, and goes on with all others in between.',
  },
  {
    id: 'webhooks.disabledQuiet',
    says: 'A webhook that nothing is sent to keeps no process looking for its retries.',
  },
  {
    id: 'webhooks.retryFound',
    says: 'No retry is forgotten, whoever looks for the next one while a failed attempt is being written.',
  },
  { id: 'webhooks.takeover', says: 'The targets of a dead process are served by another one.' },
  {
    id: 'webhooks.lockLost',
    says: 'A process that lost its lock begins no delivery, so what it has loaded is sent once.',
  },
  {
    id: 'webhooks.rotation',
    says: 'Deliveries are signed by both secrets during the overlap, and by the new one alone without one.',
  },
  {
    id: 'webhooks.kept',
    says: 'An event that somebody has still to get, or may ask for again, is not erased for its age.',
  },
  { id: 'webhooks.callback', says: 'A callback gets what becomes of its run and nothing else.' },
  { id: 'webhooks.callbackGone', says: 'A 410 ends the callbacks of that run alone.' },
  {
    id: 'webhooks.fair',
    says: 'A team whose receivers all hang leaves room for the others; a target gets four requests at a time.',
  },
  {
    id: 'webhooks.looks',
    says: 'A look for targets with work passes at most a thousand with new deliveries of each form and a thousand with retries, and the next look begins behind them. An event for a target that the looks have passed is found without a poll, while the process has room for another target.',
  },
  { id: 'webhooks.announced', says: 'A process that writes events and does not deliver calls those that do.' },
  {
    id: 'webhooks.survive',
    says: 'Whoever is killed while delivering, and however long a receiver is away: nothing is lost, and first attempts keep their order.',
  },
  { id: 'webhooks.badReceivers', says: 'A receiver that hangs and a hostile one take nothing from the others.' },
  {
    id: 'webhooks.rotationUnderLoad',
    says: 'While the secret is rotated under load every delivery verifies by the newest secret or the one before.',
  },
  // the encryption key
  {
    id: 'encryption.declared',
    says: 'Every column that holds sealed values is declared beside the code that seals it.',
  },
  {
    id: 'encryption.undeclared',
    says: 'A sealed column that nobody declared makes a change of the encryption key refuse and change nothing.',
  },
  { id: 'encryption.files', says: 'No content of a file keeps the encryption key from being changed.' },
  {
    id: 'encryption.rotateFile',
    says: 'runyard key rotate-encryption seals everything again with a new key in <data dir>/key, keeps the old one for old backups, and is in the audit log.',
  },
  {
    id: 'encryption.rotateGiven',
    says: 'With RUNYARD_ENCRYPTION_KEY the new key comes from RUNYARD_NEW_ENCRYPTION_KEY; whoever starts with the old one is told where the right one is.',
  },
  {
    id: 'encryption.crash',
    says: 'A change of the encryption key that is cut off at any point leaves a database and a key that fit together; the next start finishes or undoes it.',
    gap: {
      question: 'What does a crash in the middle of a key rotation leave?',
      file: 'server/src/base/encryptionKey.ts',
    },
  },
  {
    id: 'encryption.alone',
    says: 'The encryption key is not changed while another process lives on the database, prepares it or makes a new key for evidence.',
  },
  { id: 'encryption.batches', says: 'A large table is sealed again a bounded piece at a time.' },
  {
    id: 'encryption.broken',
    says: 'A value that does not open, or an interruption, stops a change of the encryption key and nothing is changed.',
  },
  // Sandboxes: blobs, workspaces, commands
  {
    id: 'blobs.streams',
    says: 'Bytes that arrive in pieces of any size are one blob, the same as if they had come whole; a stream that breaks off leaves nothing.',
  },
  { id: 'blobs.parts', says: 'Any part of stored bytes is read without the rest.' },
  {
    id: 'blobs.brought',
    says: 'Large bytes are stored before the transaction that refers to them, which does not send them a second time.',
  },
  { id: 'blobs.beginning', says: 'A transaction reads the first 64 KiB of any stored bytes, wherever the rest is.' },
  { id: 'objects.signed', says: 'Requests to an object store, and URLs of it, are signed as AWS signs them.' },
  {
    id: 'objects.where',
    says: 'With an object store in RUNYARD_BLOBS, new bytes of more than 256 KiB are objects there, and smaller ones stay in PostgreSQL.',
    gap: { question: 'Which bytes go into an object store?', file: 'server/src/drivers/blobs/storeObject.ts' },
  },
  { id: 'objects.transaction', says: 'No transaction speaks to an object store.' },
  {
    id: 'objects.away',
    says: 'While the object store is away, bytes that are at hand go into PostgreSQL and are moved later; a stream or a download is refused with a sentence.',
    gap: { question: 'What happens while the object store is away?', file: 'server/src/drivers/blobs/blobsOn.ts' },
  },
  {
    id: 'objects.retried',
    says: 'What fails in passing at the object store is tried again; a download continues where it broke.',
  },
  { id: 'objects.refused', says: 'What the object store refuses is not tried again, and its reason is said.' },
  {
    id: 'objects.swept',
    says: 'Nothing stays in the object store that no blob has, whenever a process died, unfinished uploads included.',
  },
  { id: 'objects.once', says: 'The same bytes are one object, however many bring them at once.' },
  {
    id: 'objects.moved',
    says: 'Bytes move between PostgreSQL and the object store while they are read, and leave their place only if the other one gave them back unchanged.',
  },
  {
    id: 'objects.damaged',
    says: 'A content whose bytes are missing or changed is named and stays where it is, and all others are moved.',
  },
  { id: 'objects.texts', says: 'Long texts of runs stay in PostgreSQL, where SQL reads them.' },
  {
    id: 'objects.probe',
    says: 'runyard doctor writes, reads and deletes an object, and says what is wrong with the store.',
  },
  {
    id: 'objects.links',
    says: 'Where the operator allows it, a download is sent to a URL of the store that is valid for a minute and bound to type and name; pages that load a file for themselves get it through the service.',
  },
  {
    id: 'objects.command',
    says: 'runyard blobs move brings everything large to where it is to be, in any number of attempts, and says what it moved; runyard backup says what is in no backup.',
  },
  {
    id: 'objects.settings',
    says: 'An object store without its keys, or with a name that S3 does not take, is refused at the start.',
  },
  { id: 'files.ranges', says: 'A download gives the part that Range asks for.' },
  {
    id: 'blobs.swept',
    says: 'Bytes that no row refers to are deleted after a day; the day starts again for those that are stored again.',
    gap: {
      question: 'When are bytes deleted that nothing refers to any more?',
      file: 'server/src/drivers/blobs/sweepBlobs.ts',
    },
  },
  {
    id: 'blobs.sweepSlices',
    says: 'The sweep looks at a bounded number of blobs at a time, goes on where it was, and comes round to each.',
  },
  {
    id: 'blobs.sweepPieces',
    says: 'At most 256 MiB of stored bytes are deleted in one statement, also of one content that has more: by the sweep, at the end of an upload, and after a move.',
  },
  {
    id: 'workspace.layout',
    says: 'A workspace that is laid out elsewhere is the same, with its links, empty folders and executable files, and only what changed is written.',
    gap: {
      question: 'What else than the bytes of files does a workspace keep?',
      file: 'server/src/features/sandboxes/workspace/workspaceFolder.ts',
    },
  },
  { id: 'workspace.beneath', says: 'A link in a workspace leads neither a reader nor a writer of ours out of it.' },
  {
    id: 'workspace.unkept',
    says: 'What a workspace cannot store (pipes, names that no path may have) is removed, and the command’s result says so.',
    gap: {
      question: 'What happens to pipes, devices and invalid names in a workspace?',
      file: 'server/src/features/sandboxes/workspace/scan.ts',
    },
  },
  {
    id: 'workspace.killed',
    says: 'A worker that takes a run over has its workspace byte for byte as the last committed command left it.',
  },
  {
    id: 'sandbox.exec',
    says: 'Commands in bash, python and js and the tools for files work on one workspace, and files are told as they change.',
  },
  { id: 'sandbox.exit', says: 'A command that fails is told with its exit code and what it printed.' },
  {
    id: 'sandbox.takeover',
    says: 'A command that was cut off by a crash runs again on the files as they were; where sandboxes may reach hosts, a person is asked first.',
    gap: { question: 'Is a command in doubt repeated?', file: 'server/src/features/sandboxes/exec/execTool.ts' },
  },
  {
    id: 'sandbox.quota',
    says: 'What does not fit into a workspace is refused with a sentence, and is not there for the next command.',
    gap: {
      question: 'What happens to files that do not fit into a workspace?',
      file: 'server/src/features/sandboxes/workspace/quota.ts',
    },
  },
  {
    id: 'sandbox.retry',
    says: 'A run that is retried begins with the files as they were before the step that it continues from.',
    gap: { question: 'Which files does a retried run have?', file: 'server/src/features/sandboxes/takeSandbox.ts' },
  },
  {
    id: 'sandbox.tidy',
    says: 'A run that is let go leaves no folder on the machine; what a killed process left is removed by the next on its machine, or by any that shares the data directory after a week, and a bubblewrap of root that still waits is ended.',
  },
  {
    id: 'sandbox.closed',
    says: 'A command may close its files and folders to everyone, or nest folders deeper than a path can name: where the service is not root, they are saved and removed all the same, and what cannot be removed keeps no other command from running.',
  },
  {
    id: 'sandbox.execSandbox',
    says: 'A caller’s command runs in the sandbox, its files stay, and its failure is an answer.',
  },
  {
    id: 'sandbox.held',
    says: 'While a command or a running run holds a sandbox, everyone else gets 409 sandbox_busy.',
  },
  {
    id: 'sandbox.given',
    says: 'A sandbox given to a run is its workspace; one unfinished run has it at a time, and while that one waits callers may use it.',
    gap: {
      question: 'May a caller use the sandbox of a run that waits?',
      file: 'server/src/features/sandboxes/workspace/sandbox.ts',
    },
  },
  { id: 'sandbox.otherTeam', says: 'A sandbox of another team does not exist.' },
  // Sandbox drivers
  { id: 'sandbox.languages', says: 'A sandbox runs bash, python and js and tells output and exit code.' },
  {
    id: 'sandbox.workspace',
    says: 'A command shares the workspace with the host, leaves nothing of the driver in it, and everything else is forgotten after it.',
  },
  {
    id: 'sandbox.output',
    says: 'Output is kept up to its limit, in whole characters, while the command continues; just-bash ends a command after 32 MiB and shows no output of one that was cut off.',
    gap: {
      question: 'What is shown of a command that prints without end?',
      file: 'server/src/drivers/sandbox/boundedText.ts',
    },
  },
  {
    id: 'sandbox.laid',
    says: 'A command has the variables and the files that its build gives it; the files are read-only.',
  },
  { id: 'sandbox.timeout', says: 'A command that takes too long is cut off with 124, and the shell runs the next.' },
  { id: 'sandbox.abort', says: 'An aborted command rejects with the reason once nothing of it lives.' },
  { id: 'sandbox.places', says: 'No more shells are open than allowed; the next waits or is given up.' },
  { id: 'sandbox.close', says: 'Closing a driver ends every shell with all that runs.' },
  { id: 'sandbox.orphans', says: 'A killed service leaves no sandboxed process running.' },
  {
    id: 'sandbox.launcher',
    says: 'If the process that starts commands dies, those under way are answered as died, nothing of them is left, and the next one runs.',
  },
  {
    id: 'sandbox.pace',
    says: 'Output beyond what is shown is read at a bounded pace: a command that prints without end does not keep a core of the service busy.',
  },
  { id: 'sandbox.hosts', says: 'A sandbox reaches listed hosts only, through the guard, also after a redirect.' },
  { id: 'sandbox.connections', says: 'A command that opens connections without end uses up none of another command.' },
  {
    id: 'sandbox.escape.files',
    says: 'Nothing outside the workspace, nor the service’s environment, is read or changed from a sandbox.',
  },
  { id: 'sandbox.escape.network', says: 'No loopback or metadata address is reached from a sandbox.' },
  { id: 'sandbox.escape.time', says: 'Endless loops, expressions and output are cut off within 5 s.' },
  {
    id: 'sandbox.escape.memory',
    says: 'A command that takes too much memory is cut off: by its control group where one can be made, else by a look every 100 ms.',
    gap: { question: 'How is the memory of a command held?', file: 'server/src/drivers/sandbox/watchCommand.ts' },
  },
  { id: 'sandbox.escape.processes', says: 'A command cannot start hundreds of processes, and leaves none behind.' },
  { id: 'sandbox.escape.disk', says: 'No file outgrows its limit, and a command cannot fill the disk.' },
  { id: 'sandbox.escape.unmoved', says: 'The service’s event loop stays below 500 ms of delay during that time.' },
  {
    id: 'sandbox.permissions',
    says: 'Plain code in a just-bash child is refused files outside, processes and addons; Node 24 does not refuse it sockets, the interpreter has none.',
    gap: {
      question: 'What may code do that leaves the interpreter of just-bash?',
      file: 'server/src/drivers/sandbox/childFlags.ts',
    },
  },
  { id: 'sandbox.channel', says: 'A child that talks without end or nonsense is given up, and nothing of it is kept.' },
  { id: 'sandbox.warm', says: 'A shell keeps one child warm and replaces one that died.' },
  {
    id: 'sandbox.choice',
    says: 'bubblewrap is chosen where it really works, else just-bash, and the log says why.',
    gap: { question: 'Which sandbox is in force?', file: 'server/src/drivers/sandbox/chooseDriver.ts' },
  },
  // Sandbox hosts
  {
    id: 'sandbox.remote.hostKilled',
    says: 'A command whose sandbox host is killed is answered once as one whose shell died, with the files as they were; it is not sent again, and the next command runs on another host.',
    gap: {
      question: 'Is a command repeated when its sandbox host dies?',
      file: 'server/src/drivers/sandbox/remote/remote.ts',
    },
  },
  {
    id: 'sandbox.remote.workerKilled',
    says: 'The sandboxes of a worker that is killed, or that stands still for longer than its lease, end on their host with all processes and files.',
    gap: {
      question: 'What does a killed worker leave on a sandbox host?',
      file: 'server/src/drivers/sandbox/remote/hostSandboxes.ts',
    },
  },
  {
    id: 'sandbox.remote.hostile',
    says: 'What a sandbox host answers is bounded in size, number, time and paths; nothing of a wrong answer reaches the workspace.',
  },
  {
    id: 'sandbox.remote.choice',
    says: 'A command runs on a host that answers and has a free slot; it waits while all are full, and never runs on the machine of the worker.',
  },
  {
    id: 'sandbox.remote.refusals',
    says: 'A sandbox host refuses short tokens, plain HTTP beyond loopback, wrong tokens, other versions of the protocol and other lists of reachable hosts, each with a sentence.',
  },
  {
    id: 'sandbox.remote.stop',
    says: 'A sandbox host that is stopped takes nothing new, finishes commands within its drain time, and leaves no process and no file.',
  },
  {
    id: 'sandbox.remote.files',
    says: 'Only what changed is carried; what cannot be carried is removed and named, and a command that left too many files saves none of them.',
  },
  {
    id: 'sandbox.remote.room',
    says: 'Files that come back from a sandbox host leave half of the free disk of the worker, else they are refused with a sentence; zeros in them take no room.',
  },
  {
    id: 'sandbox.remote.runs',
    says: 'Runs and callers use sandbox hosts as they use the machine of the worker, also over TLS, and doctor says whether hosts answer.',
  },
  // The installation as a whole
  {
    id: 'system.read',
    says: 'Admins of the oldest team, or of the teams that a setting names, read the state of the installation; nobody else does.',
    gap: { question: 'Who may see the whole installation?', file: 'server/src/features/system/getSystem.ts' },
  },
  // Drills
  {
    id: 'drill.healthy',
    says: 'A drill of a healthy service starts runs, kills the workers that drive them, and finds nothing lost, repeated or doubled.',
  },
  {
    id: 'drill.fault',
    says: 'A drill finds that a finished call was repeated, or a run or a write made twice, fails, and names it.',
  },
  {
    id: 'drill.apart',
    says: 'Only the processes that a drill starts work on its runs and deliver its events; they do no other work.',
  },
  {
    id: 'drill.erased',
    says: 'A drill leaves no row of its scratch team, also when it was killed: then a process of the service erases it.',
  },
  {
    id: 'drill.rights',
    says: 'Only admins of the team that runs the installation start, list and stop drills (scope system:write).',
  },
  {
    id: 'drill.one',
    says: 'There is one drill at a time; a worker takes it, says how far it is, and stops when asked.',
  },
  {
    id: 'drill.page',
    says: 'A drill that is asked for by the API or in the console is run by a worker of the service.',
  },
  {
    id: 'console.drills',
    says: 'The page of the system starts a drill, shows how far it is, and the results of earlier ones.',
  },
  {
    id: 'drill.command',
    says: '`runyard drill` prints a table and a verdict, and exits with 0 only if all is zero that must be.',
  },
  { id: 'system.secrets', says: 'Settings are shown with their values, secrets only as set or not.' },
  {
    id: 'system.processes',
    says: 'Each living process says where it is and how its loops, lanes and pools are; one that died is not listed.',
  },
  {
    id: 'system.objectStore',
    says: 'Admins of the installation see whether the object store answers, when it last did, and what failed last in any process.',
    gap: {
      question: 'Where does one see that the object store is away?',
      file: 'server/src/features/system/objectStore.ts',
    },
  },
  {
    id: 'system.growth',
    says: 'The sizes of tables are written down day by day, and how much they grow a day is told.',
  },
  { id: 'system.waiting', says: 'The oldest work that is due and that nobody has begun is told by kind, by indexes.' },
  {
    id: 'system.metrics',
    says: '/metrics tells of the whole installation: living processes by role and by zone, the oldest that waits by kind, jobs given up, open breakers, the archive of PostgreSQL and the disk.',
  },
  // Deploying and operating
  {
    id: 'deploy.image',
    says: 'The image runs as an ordinary user on a read-only root file system, with the Node that the project pins, Chromium and bubblewrap, and without build tools; SIGTERM reaches the service.',
  },
  {
    id: 'deploy.compose',
    says: 'The compose file starts service and PostgreSQL with health checks, and has no secret in it.',
  },
  {
    id: 'deploy.chart',
    says: 'The Helm chart makes API, workers, migrations and budgets without rights, with probes, and a grace period that fits the drain.',
  },
  {
    id: 'deploy.disk',
    says: 'No command that keeps to its bounds makes the chart’s workers too large for the disk that they may use.',
  },
  {
    id: 'deploy.metrics',
    says: 'An installation by the guide of the chart serves metrics only to whoever has its token.',
  },
  { id: 'deploy.values', says: 'The schema of the chart’s values takes what works and refuses what would not.' },
  { id: 'deploy.units', says: 'The units for systemd are valid, hardened, and stop the service by its drain.' },
  {
    id: 'deploy.settings',
    says: 'Every setting that image, compose file, chart and units make is one that the service has.',
  },
  {
    id: 'monitoring.names',
    says: 'Every metric and label that alerts, dashboard and autoscaler ask for is one that the service has.',
  },
  { id: 'monitoring.rules', says: 'Each alert is valid, and raised when it should be and not before.' },
  { id: 'monitoring.runbooks', says: 'Each alert leads to a page that says what it means and what to do.' },
  { id: 'monitoring.dashboard', says: 'The dashboard shows every panel.' },
  {
    id: 'backups.pointInTime',
    says: 'A database of one’s own that is backed up by PostgreSQL’s tools is restored to a moment, with every run that was acknowledged by then; runs continue.',
  },
  { id: 'backups.key', says: 'A restored database is refused without the encryption key that it was written with.' },
  {
    id: 'browser.named',
    says: 'RUNYARD_CHROMIUM names the installed Chromium that is started instead of the one in the npm package.',
  },
  // Sandboxes over HTTP, files, signed addresses
  {
    id: 'sandboxes.life',
    says: 'A sandbox lives for a day or its ttl_seconds, and is gone for callers when that is over.',
  },
  { id: 'sandboxes.get', says: 'A sandbox tells its status, its end, its run and what it holds.' },
  {
    id: 'sandboxes.list',
    says: 'The sandboxes that callers made, or those of runs, are listed newest first, by an index; what is over or private to another is not among them.',
  },
  { id: 'sandboxes.usage', says: 'What the sandboxes of a team hold and may hold is told beside the limits of one.' },
  {
    id: 'sandboxes.delete',
    says: 'A deleted sandbox goes with files and upload addresses; not while a command runs in it or its run has not ended.',
  },
  {
    id: 'sandboxes.held',
    says: 'While a run is running or a command runs in it, a sandbox is read but not changed: 409 sandbox_busy.',
  },
  {
    id: 'files.upload',
    says: 'A body of any type with ?path=, or a form with file and path, becomes a file of up to 10 MiB.',
  },
  { id: 'files.quota', says: 'What would pass the limit of the sandbox is refused with the setting to change.' },
  {
    id: 'files.list',
    says: 'A list shows one level by name, folders with the size of all below; what is no folder is a 404.',
  },
  {
    id: 'files.content',
    says: 'UTF-8 without NUL comes as text, all else as base64; download_url is always there.',
    gap: {
      question: 'How is the content of a file encoded?',
      file: 'server/src/features/sandboxes/files/fileContent.ts',
    },
  },
  { id: 'files.delete', says: 'A file goes, or a folder with all below it; the workspace itself is a 400.' },
  {
    id: 'files.swept',
    says: 'A workspace that is over is not found, and its rows go in pieces; a sweep that fails keeps no other from its work.',
  },
  {
    id: 'files.runOnly',
    says: 'Without a path the only file of a run is read; with more files, or none, it is a 400 that lists them.',
    gap: {
      question: 'Which file is meant without a path?',
      file: 'server/src/features/sandboxes/files/fileContent.ts',
    },
  },
  {
    id: 'files.run',
    says: 'Files of a run are read by agent and run or by run alone; a run without a sandbox has an empty workspace.',
  },
  {
    id: 'files.escape',
    says: 'At least 300 hostile paths on every file route bring out no byte, change nothing and cause no 5xx: 404 where a path is named, 400 where the request is malformed, 403 or 404 on a changed address.',
  },
  {
    id: 'files.links',
    says: 'A link is never followed nor listed; an upload at its path replaces it.',
    gap: { question: 'What does an upload to the path of a link do?', file: 'server/test/fileRoutes.test.ts' },
  },
  { id: 'uploads.put', says: 'One PUT stores the file at the path of its address, chunked or with a length.' },
  {
    id: 'uploads.once',
    says: 'An address is claimed while bytes arrive, freed when that fails or its process dies, spent when the file is stored.',
  },
  {
    id: 'uploads.refused',
    says: 'A changed or expired address is 403; a held sandbox, a full one or a taken name refuses and leaves the address usable.',
  },
  { id: 'uploads.cap', says: 'More bytes than the address allows are refused, announced or not.' },
  { id: 'uploads.memory', says: 'An upload passes through a process that grows by less than 100 MB.' },
  {
    id: 'downloads.bytes',
    says: 'A download gives the whole bytes without a credential and stops reading when the client goes.',
  },
  {
    id: 'downloads.headers',
    says: 'Only plain text, Markdown, CSV, TSV, JSON, PNG, JPEG, GIF and WebP are shown; all else is saved, with nosniff and a sandbox policy.',
    gap: { question: 'Which types of files are active?', file: 'server/src/features/sandboxes/files/downloadRoute.ts' },
  },
  { id: 'downloads.cache', says: 'A download is cacheable while its address is good, with an ETag and 304.' },
  { id: 'downloads.refused', says: 'A changed download address is 403; one whose sandbox is gone is 404.' },
  { id: 'signedUrls.exact', says: 'A signed address is good to the letter and for its own method alone.' },
  {
    id: 'signedUrls.shared',
    says: 'Every process with the same encryption key knows a signed address; none with another.',
  },
  {
    id: 'signedUrls.expiry',
    says: 'A signed URL expires; a shared one is the same for all within its window.',
    gap: {
      question: 'Does a signed URL expire, and is it the same for everybody?',
      file: 'server/src/kit/signedUrl.ts',
    },
  },
  {
    id: 'bodies.fitting',
    says: 'A large body without a length is held against the room there is while it arrives, and any large body at its end.',
  },
  {
    id: 'bodies.inTime',
    says: 'An ordinary body has 300 s, and 10 s where it alone can prove who sends it; a large one may take hours but not pause for 60 s, and is read no faster than it is taken.',
  },
  // The browser
  {
    id: 'outbound.proxy',
    says: 'The filtering proxy dials only what the guard and its own list permit, resolved once, by URL and by CONNECT; refuses with a sentence; passes on no hop-by-hop header and no hidden request.',
  },
  {
    id: 'browser.guard',
    says: 'No page reaches a private address or a file by redirect, refresh, script, form, popup, frame, fetch, socket or WebRTC, under any name; whoever looks is told.',
  },
  {
    id: 'browser.refused',
    says: 'A run whose page leads to a metadata service or a file fails with the guard’s sentence, and a picture of it is kept.',
  },
  {
    id: 'browser.timeline',
    says: 'The timeline has one picture for each action, in order; offset_ms counts from the start of the run, and duration_ms to its end or now.',
    gap: {
      question: 'What do offset_ms and duration_ms of a timeline count?',
      file: 'server/src/features/browser/getRunScreenshotTimeline.ts',
    },
  },
  {
    id: 'browser.images',
    says: 'Pictures are JPEGs under signed addresses that expire, cacheable and not sniffed; a changed address is a 403.',
  },
  {
    id: 'browser.pages',
    says: 'The pages of a session are listed, closed ones too; the session closes with its run and keeps no cookies.',
  },
  {
    id: 'browser.tools',
    says: 'A list of browser actions gives what was read last, and stops at the first that fails, naming its line.',
  },
  {
    id: 'browser.lines',
    says: 'Each line of a browser block is one action; what is none is told; what is typed stands in no picture’s words.',
  },
  {
    id: 'browser.elements',
    says: 'Elements are found by words, exact before partial, or by reference; several of one name are listed, not guessed.',
  },
  {
    id: 'browser.pageEvents',
    says: 'Dialogs are dismissed and told, popups become pages up to ten, a page over 48 KiB is cut with a sentence.',
  },
  {
    id: 'browser.downloads',
    says: 'Downloads land in the workspace under a plain name and are told as events; one over 10 MiB is cut off and told.',
  },
  {
    id: 'browser.resumed',
    says: 'A waiting run’s session is opened again with its cookies and pages, which are sealed until then, and says what was lost.',
    gap: {
      question: 'What is kept of a browser while its run waits?',
      file: 'server/src/features/browser/browserSession.ts',
    },
  },
  { id: 'browser.isolated', says: 'One run’s browser does not know the cookies of another’s.' },
  {
    id: 'browser.doubt',
    says: 'After a crash, browser actions that only look are done again; clicks and typing are asked about.',
    gap: {
      question: 'Which browser actions are repeated after a crash?',
      file: 'server/src/features/browser/browserLine.ts',
    },
  },
  { id: 'browser.retention', says: 'Screenshots go after their days and with their run.' },
  { id: 'browser.process', says: 'Chromium has neither our rights nor our environment.' },
  {
    id: 'browser.gone',
    says: 'A page or browser that dies is told, and the next one opens with the state of the old.',
  },
  {
    id: 'pages.hostile',
    says: 'In a real browser, a hostile page sends nothing and reaches neither the window around it nor the service.',
  },
  {
    id: 'pages.xlsx',
    says: 'The tables of a page become a spreadsheet: numbers, dates and texts as such, never a formula, at most 100,000 cells.',
  },
  {
    id: 'browser.print',
    says: 'A page of ours becomes a picture with a thumbnail, or a PDF with title, time and page numbers, or the reason is a sentence.',
  },
  { id: 'browser.printsOffline', says: 'A page that is drawn as a picture or a PDF reaches nothing at all.' },
  {
    id: 'browser.cdp',
    says: 'With RUNYARD_CDP_URL, requests and redirects to forbidden places are stopped and told.',
  },
  // Queues, cases, labels, case triggers
  { id: 'queues.create', says: 'A queue is made empty, with a name that is its own in the team.' },
  { id: 'queues.update', says: 'Only the given fields of a queue change; a taken name is refused.' },
  { id: 'queues.list', says: 'Queues are listed oldest first, in pages, with exact counts.' },
  {
    id: 'queues.counts',
    says: 'Counts by status, priority, label and hour are exact at every moment, whoever writes and folds.',
  },
  {
    id: 'queues.counts.grown',
    says: 'Counts are folded whatever the planner expected of their table when it was small.',
  },
  { id: 'queues.foldedWhenRead', says: 'A reader who finds counts in very many pieces has them folded.' },
  {
    id: 'queues.delete',
    says: 'A deleted queue is gone at once with its cases and active runs; a job erases what is left.',
    gap: {
      question: 'What becomes of a queue with a million cases when it is deleted?',
      file: 'server/src/features/queues/deleteQueue.ts',
    },
  },
  {
    id: 'queues.deleteWhileGivenOut',
    says: 'A queue that is deleted while its cases are given out leaves no active run.',
  },
  {
    id: 'queues.deleteWhileFilled',
    says: 'Cases added while their queue is deleted are deleted with it and counted, or refused.',
  },
  { id: 'queues.deleteBeside', says: 'A deleted queue is erased whole also while others delete its cases and labels.' },
  {
    id: 'queues.agents',
    says: 'A queue lists its producers (of the last 30 days, or by their procedure), its consumers, and problems.',
    gap: {
      question: 'Who counts as a producer of a queue?',
      file: 'server/src/features/queues/dispatch/queueAgents.ts',
    },
  },
  {
    id: 'labels.create',
    says: 'A label is unique per queue, and its colour is derived from key and value.',
    gap: { question: 'Which colour has a label that names none?', file: 'server/src/features/queues/labels/label.ts' },
  },
  { id: 'labels.list', says: 'Labels are listed by key and value, at most 1000 at a time.' },
  { id: 'labels.update', says: 'A changed label is changed on every case and cannot become another one.' },
  {
    id: 'labels.link',
    says: 'Labels are put on by id or by name, made where missing; each change stands in the timeline.',
  },
  {
    id: 'labels.max',
    says: 'A case has at most 100 labels; what would be more is refused whole.',
    gap: { question: 'How many labels can a case carry?', file: 'server/src/features/queues/labels/label.ts' },
  },
  {
    id: 'labels.placed',
    says: 'A label or case below another queue is not found, nor is a label of another queue in a body.',
  },
  {
    id: 'labels.delete',
    says: 'A deleted label is gone from all cases at once; their timelines show it.',
    gap: {
      question: 'What becomes of the cases of a deleted label?',
      file: 'server/src/features/queues/labels/deleteLabel.ts',
    },
  },
  { id: 'labels.atOnce', says: 'Many who bring the same new labels at once make each once.' },
  { id: 'caseTriggers.create', says: 'An agent has one case trigger, on a queue of its team; a second is refused.' },
  { id: 'caseTriggers.refused', says: 'A queue that is not ours is not found, nor is a trigger below another agent.' },
  {
    id: 'caseTriggers.update',
    says: 'A trigger is paused, moved and bounded; paused or deleted it is given no cases.',
  },
  {
    id: 'caseTriggers.conflicts',
    says: 'The answer names agents with an enabled trigger on the same queue, before and after; a preview for an unknown queue names none.',
    gap: {
      question: 'What does a conflict preview say of a queue that does not exist?',
      file: 'server/src/features/queues/dispatch/previewAgentCaseTriggerConflicts.ts',
    },
  },
  {
    id: 'caseTriggers.told',
    says: 'Workers are told at commit of a queue whose trigger is enabled, moved to it or given more room.',
  },
  { id: 'caseTriggers.agentDeleted', says: 'A deleted agent has no case trigger any more.' },
  {
    id: 'cases.create',
    says: 'createCases answers with the cases in the order given, which is also the order of their ids.',
  },
  { id: 'cases.createOneOrMany', says: 'createCases takes exactly one of case and cases, and 1 to 100 cases.' },
  { id: 'cases.allOrNothing', says: 'One case that does not fit leaves no case and no label behind.' },
  { id: 'cases.createBody', says: 'createCases takes bodies up to 16 MiB.' },
  {
    id: 'cases.externalId',
    says: 'A case that is added again with its external_id is returned unchanged, marked existing, also twice in one request.',
    gap: {
      question: 'What does a repeat of an external_id change, and what do new cases say?',
      file: 'server/src/features/queues/cases/createCases.ts',
    },
  },
  { id: 'cases.externalIdRaces', says: 'Requests at once with the same external_ids leave each case once.' },
  { id: 'cases.createLabels', says: 'Labels of new cases are made where missing and are in the event.' },
  {
    id: 'cases.createTold',
    says: 'A new case is one event and the first row of its timeline; an existing one is neither.',
  },
  {
    id: 'cases.createCallsAgents',
    says: 'Workers are called at the commit of new cases, if the queue has an enabled trigger.',
  },
  {
    id: 'cases.list',
    says: 'Every filter, search and order of cases gives the right page and an exact total; by postponed_to, cases that are not postponed come last.',
    gap: {
      question: 'Where do cases without postponed_to stand?',
      file: 'server/src/features/queues/lists/caseLists.ts',
    },
  },
  { id: 'cases.listPairs', says: 'Two filters on different fields give what fits both.' },
  { id: 'cases.listQuery', says: 'listCases and searchCases say the same of the same filter.' },
  {
    id: 'cases.listRefused',
    says: 'Values outside their set and empty lists are a 400; a label that nobody has gives an empty page.',
    gap: {
      question: 'What does an empty list in filters mean?',
      file: 'server/src/features/queues/lists/caseFilter.ts',
    },
  },
  { id: 'cases.listFollows', says: 'Totals and words follow every change of cases and their labels at once.' },
  {
    id: 'cases.listFrequentWords',
    says: 'Frequent words give exact pages and totals, wherever their cases lie.',
    gap: {
      question: 'Is the total of a search exact if most cases have the word?',
      file: 'server/src/features/queues/lists/caseFilter.ts',
    },
  },
  { id: 'cases.timeline', says: 'getCase tells who did what, when and why, oldest first, the last 500.' },
  {
    id: 'cases.update',
    says: 'Title, data and priority can be changed in any state; the timeline says which were; a state is not.',
    gap: { question: 'What may updateCase change, and when?', file: 'server/src/features/queues/cases/updateCase.ts' },
  },
  { id: 'cases.delete', says: 'A deleted case leaves no label, word, timeline or count.' },
  { id: 'cases.deleteStopsRun', says: 'Deleting a case stops its run, which stays readable.' },
  { id: 'cases.runs', says: 'The runs of a case are listed as runs are, newest first, at most 100.' },
  {
    id: 'cases.recentMessages',
    says: 'Recent messages are the last 1 to 10, newest last; a run of another case is a 404.',
  },
  {
    id: 'cases.labelCounts',
    says: 'Counts by label stay exact while cases move, are linked, unlinked and deleted at once.',
  },
  {
    id: 'cases.people',
    says: 'A person takes, completes or fails a case that they hold or that nobody does; timeline and events say so.',
  },
  {
    id: 'cases.peopleHeld',
    says: 'What a run or another person holds is a 409 that names the holder; one’s own case cannot be claimed twice.',
    gap: {
      question: 'What does a second claim by the same person get?',
      file: 'server/src/features/queues/cases/moveByPerson.ts',
    },
  },
  { id: 'cases.peopleRelease', says: 'A case is given back by its holder alone, and is pending again.' },
  {
    id: 'cases.peoplePostpone',
    says: 'A case is postponed to a time or for some seconds, ahead and at most ten years, and can be taken before.',
    gap: {
      question: 'How does a person say until when a case is postponed?',
      file: 'server/src/features/queues/cases/postponeCase.ts',
    },
  },
  {
    id: 'cases.assign',
    says: 'A case that nobody holds, or that the giver holds, is given to a member, who holds it alone.',
  },
  {
    id: 'cases.takeOver',
    says: 'An admin takes a case from the member who holds it, for themselves, for another or for nobody, and the timeline names that member; others take only from who has left.',
  },
  {
    id: 'cases.ages',
    says: 'Open cases are counted by age and status from the index of statuses alone; ended ones do not count.',
  },
  {
    id: 'queues.why',
    says: 'A queue says whether cases go out now, and names every trigger, build, limit, slot and connection that keeps them.',
  },
  {
    id: 'cases.oneHolder',
    says: 'Agents and people race for the cases of a queue: none ever has two holders, each is completed once, and who takes it ends it.',
  },
  {
    id: 'cases.killed',
    says: 'Workers killed at random moments lose no case, and work none twice or out of order.',
  },
  {
    id: 'bulk.killed',
    says: 'A bulk action continues where the last transaction left it when its workers are killed, and changes every case once.',
  },
  {
    id: 'cases.handedOver',
    says: 'A case that was handed over waits for its agent; when that one no longer works the queue, any other may have it.',
  },
  {
    id: 'bulk.chosen',
    says: 'Exactly one of case_ids and all_matching says which cases are meant; an unknown id is a 404 and changes nothing.',
    gap: {
      question: 'What becomes of a bulk action with an id that names no case of the queue?',
      file: 'server/src/features/queues/bulk/bulkRequest.ts',
    },
  },
  {
    id: 'bulk.matching',
    says: 'All matching are those that fit filters and search; a case that is as wanted is skipped.',
  },
  {
    id: 'bulk.status',
    says: 'A new status stops the run that holds a case and skips what another member holds, unless they have left the team.',
    gap: {
      question: 'Does a bulk action take cases away from people?',
      file: 'server/src/features/queues/bulk/changeCases.ts',
    },
  },
  {
    id: 'bulk.reprocess',
    says: 'Cases are pending again with their attempts kept, for one agent when it is named; it must work the queue.',
    gap: {
      question: 'May cases be given to an agent without a trigger on the queue?',
      file: 'server/src/features/queues/bulk/bulkReprocessCases.ts',
    },
  },
  {
    id: 'bulk.delete',
    says: 'Cases are deleted whoever holds them, their runs are stopped, and the counts stay exact.',
  },
  {
    id: 'bulk.background',
    says: 'More than 10,000 matching cases continue in the background, of those that were there when it began; an action ends with its queue.',
  },
  {
    id: 'bulk.stopped',
    says: 'A bulk action is stopped between two steps: what it did stays done, nothing more is changed, and the queue lists it with its counts.',
  },
  {
    id: 'bulk.progress',
    says: 'A bulk action keeps how far it has come with each transaction, and continues from there, each case done once.',
  },
  {
    id: 'bulk.rests',
    says: 'A bulk action in the background leaves the processors to others for most of the time while they are at work.',
    gap: {
      question: 'How fast does a bulk action in the background go?',
      file: 'server/src/features/queues/bulk/pace.ts',
    },
  },
  { id: 'bulk.fullSpeed', says: 'A bulk action in the background goes at full speed while nobody else is at work.' },
  {
    id: 'bulk.failed',
    says: 'A bulk action that cannot be carried out says so; one that others are in the way of goes on.',
  },
  {
    id: 'bulk.swept',
    says: 'A bulk action is deleted thirty days after its end.',
    gap: {
      question: 'How long can an ended bulk action be read?',
      file: 'server/src/features/queues/bulk/sweepBulkActions.job.ts',
    },
  },
  // Agents at cases
  {
    id: 'cases.worked',
    says: 'A case starts a run that reads it, and is completed with its result; events and timeline say so.',
  },
  {
    id: 'cases.unclosed',
    says: 'A run that ends, fails or is stopped without closing its case fails it, with the reason.',
    gap: {
      question: 'What becomes of a case that its run did not close?',
      file: 'server/migrations/0022_queues.sql',
    },
  },
  {
    id: 'cases.needsInput',
    says: 'A case shows that its run waits for a person and by which request, and leaves its place in the queue to the next.',
  },
  {
    id: 'cases.order',
    says: 'Due postponed cases are given out first: the 100 that have been due longest are compared, by priority, then age; if others have locked some of these, the next ones take their places. Then come pending ones by priority, then age.',
  },
  { id: 'cases.orderPlans', says: 'A dispatch reads and sorts no large queue whole.' },
  { id: 'cases.ableAgents', says: 'Cases are given only to agents of the queue that can start now.' },
  {
    id: 'cases.tools',
    says: 'An agent completes, fails, postpones, hands over, changes, lists, claims and adds cases.',
    gap: { question: 'What can an agent do with cases?', file: 'server/src/features/queues/tools.ts' },
  },
  {
    id: 'cases.toolsStorage',
    says: 'case_update and case_create store no more bytes than a case may have, and no more than the team may keep.',
  },
  { id: 'cases.claimOrder', says: 'A run claims the cases of a queue in the order in which they are given out.' },
  { id: 'cases.claimId', says: 'A run claims a case by its id, and no case by a text that is not an id.' },
  {
    id: 'cases.claimPlans',
    says: 'A run’s claim, and its list of cases, read and sort no large queue whole, because writes of other runs wait for them.',
  },
  { id: 'cases.queueById', says: 'A case block and the tools for cases take a queue by its name or by its id.' },
  { id: 'cases.toolsAlone', says: 'A run that holds no case is told so by every tool that needs one.' },
  // connections: accounts and keys at other services, and runs that use them
  {
    id: 'connections.native',
    says: 'An account is connected by OAuth: PKCE, exact redirect address, tokens sealed, event and audit row, and nothing secret in rows or log.',
  },
  {
    id: 'connections.stateOnce',
    says: 'A state serves once and for ten minutes; a wrong, used, doubled or late one gets a page and changes nothing.',
  },
  { id: 'connections.replayedCode', says: 'A code that was redeemed is refused, also with a new state.' },
  {
    id: 'connections.issuer',
    says: 'An answer of another issuer, or without one where it is due, is refused before its code is sent anywhere.',
  },
  { id: 'connections.denied', says: 'Who says no is told so on a plain page; what a provider says is shown as text.' },
  {
    id: 'connections.returnUrl',
    says: 'The browser is sent only to PUBLIC_URL’s origin or a listed one, with status, connection_id or error in the query.',
    gap: { question: 'What does return_url learn?', file: 'server/src/features/connections/oauth/returnUrl.ts' },
  },
  { id: 'connections.flowCredential', says: 'An authorisation ends with the key, client or right that began it.' },
  {
    id: 'connections.bySession',
    says: 'A connection that a member authorises with a session is theirs; an authorisation ends with the session that began it.',
  },
  {
    id: 'connections.reconnect',
    says: 'Authorised again, a connection keeps its id and name, also when another account agrees; another team’s id is a 404.',
    gap: {
      question: 'May a reconnect be another account?',
      file: 'server/src/features/connections/oauth/finishFlow.ts',
    },
  },
  {
    id: 'connections.delete',
    says: 'A deleted connection is gone at once and its grant is given back by a job.',
    gap: {
      question: 'What becomes of the tokens of a deleted connection?',
      file: 'server/src/features/connections/credential/giveBackGrant.job.ts',
    },
  },
  {
    id: 'connections.providerSettings',
    says: 'A provider is offered when its client is set; without one the refusal names the settings; an unknown provider is a 404; settings without effect are warned of.',
  },
  {
    id: 'connections.redirectUri',
    says: 'The redirect address is PUBLIC_URL’s or loopback’s; else public_url_missing.',
  },
  {
    id: 'connections.providers',
    says: 'Every row of the table of providers is whole, and each provider is asked in its own way; PKCE goes to all that take it.',
    gap: {
      question: 'Is PKCE sent to a provider that refuses it?',
      file: 'server/src/features/connections/providers/providers.ts',
    },
  },
  {
    id: 'connections.providerHabits',
    says: 'Slack’s bot tokens and refusals with 200, Salesforce’s own servers and Linear’s GraphQL work through the whole flow; a taken name gets a number.',
  },
  {
    id: 'connections.providerTrouble',
    says: 'A provider that is down is told as such; an account whose name cannot be read is connected without one.',
  },
  {
    id: 'connections.providerTools',
    says: 'A provider with a client is a plugin whose tool calls its API with the agent’s connection.',
    gap: {
      question: 'What is the tool of a native provider?',
      file: 'server/src/features/connections/providers/providerSets.ts',
    },
  },
  {
    id: 'connections.ownHosts',
    says: 'A credential’s hosts are meant as they stand: with their port, and below a star only what lies below.',
  },
  {
    id: 'connections.create',
    says: 'A connection by key or headers has a name that is unique in the team; its secret is sealed and never shown.',
    gap: {
      question: 'May two connections of a team have one name?',
      file: 'server/src/features/connections/store/newConnection.ts',
    },
  },
  { id: 'connections.createRefused', says: 'What cannot be sent, or would go in clear, is refused with the reason.' },
  {
    id: 'connections.update',
    says: 'A new credential makes a connection work and ends its waits; another URL needs its credential; the URL and credential of an OAuth connection come from authorising alone.',
    gap: {
      question: 'Can a connection’s URL change?',
      file: 'server/src/features/connections/updateConnection.ts',
    },
  },
  {
    id: 'connections.test',
    says: 'A test makes a real call and marks the connection; a key that works again is active again.',
  },
  {
    id: 'connections.dependents',
    says: 'Dependents are the agents whose live build names it, their schedules that are on, artifacts, cases and waiting runs: a hundred each and exact totals.',
    gap: {
      question: 'What does listConnectionDependents answer?',
      file: 'server/src/features/connections/listConnectionDependents.ts',
    },
  },
  {
    id: 'connections.catalogue',
    says: 'The catalogue lists every provider, whether this server has a client for it, and what an operator has to set.',
  },
  { id: 'connections.config', says: 'A build may name connections of its own team alone.' },
  { id: 'connections.flowsSwept', says: 'Authorisations that nobody came back from are forgotten.' },
  {
    id: 'connections.broker',
    says: 'What a broker vouches for becomes a connection whose tokens stay there; brought again it is the same one; an unknown provider needs a server_url.',
    gap: {
      question: 'How does finalize name and verify a broker’s connection?',
      file: 'server/src/features/connections/oauth/finalizeThirdPartyOAuth.ts',
    },
  },
  {
    id: 'connections.brokerRefused',
    says: 'What the broker does not know, made for another organisation, or is in use by another team, is refused and nothing is written.',
  },
  {
    id: 'mcpClient.eras',
    says: 'Tools of MCP servers are listed and called over streamable HTTP of both protocol eras and over the older SSE.',
  },
  { id: 'mcpClient.session', says: 'A session that an MCP server forgot is opened again, and each call is made once.' },
  {
    id: 'mcpClient.cut',
    says: 'A connection that breaks off ends the call that waited for it, and the next call works.',
  },
  { id: 'mcpClient.refused', says: 'A refused credential is told with the challenge of the server.' },
  { id: 'mcpClient.limits', says: 'At most 500 tools, 64 KiB a schema and 4 MiB a list are taken from an MCP server.' },
  {
    id: 'mcpClient.hostile',
    says: 'MCP servers that answer nonsense or without end end in a sentence without secrets.',
  },
  {
    id: 'mcpClient.credential',
    says: 'A credential goes to its own MCP server alone and never over plain http across the internet.',
  },
  { id: 'mcpClient.guard', says: 'An MCP server at an address that the guard refuses is never dialled.' },
  {
    id: 'mcpClient.conformance',
    says: 'The official conformance suite passes on our MCP client: all authorisation scenarios, initialize and tools_call.',
  },
  {
    id: 'oauth.grant',
    says: 'A code brings tokens, which are renewed and taken back, at a real authorization server.',
  },
  {
    id: 'oauth.refusals',
    says: 'A wrong state, a mixed-up or missing issuer, a doubled, missing or replayed code and a wrong verifier are refused.',
  },
  { id: 'oauth.registration', says: 'Runyard registers itself as a client and proves itself as the server wants it.' },
  {
    id: 'oauth.quirks',
    says: 'Token answers of the big providers are understood, and a refusal is told from trouble that passes.',
  },
  { id: 'oauth.secrets', says: 'What an authorization server says is shown without what we sent it.' },
  {
    id: 'connections.readCallsNothing',
    says: 'No operation with the scope connections:read makes this server call an outside address.',
  },
  { id: 'connections.mcpCheck', says: 'checkMcpOAuth finds how an MCP server is authorised and keeps nothing.' },
  {
    id: 'connections.mcp',
    says: 'An MCP server is connected by OAuth: registered once for a team, agreed to, with a token for that server alone.',
  },
  {
    id: 'connections.mcpStepUp',
    says: 'A connection is authorised again for the scopes that a refused call asked for.',
  },
  { id: 'connections.mcpMixUp', says: 'An answer of another issuer is refused and spends its flow.' },
  {
    id: 'connections.mcpClient',
    says: 'Where servers take it, our client document is the client; without registration a client must be given.',
  },
  {
    id: 'connections.mcpMetadata',
    says: 'Metadata of another resource or issuer, without S256, without https or with endless redirects is refused.',
  },
  {
    id: 'connections.mcpGuard',
    says: 'Metadata that leads to a private address is refused by the guard, which dials nothing.',
  },
  {
    id: 'connections.probe',
    says: 'probeMcpServer lists the tools of a server, or says why it cannot be used.',
    gap: {
      question: 'What does a probe of an MCP server take and answer?',
      file: 'server/src/features/connections/mcpTools/probeMcpServer.ts',
    },
  },
  {
    id: 'connections.http',
    says: 'A call is made with a connection’s credential, which neither the procedure nor its result shows.',
  },
  {
    id: 'connections.httpHosts',
    says: 'A connection is used for its own hosts only, by its own name, without another credential beside it, and a private one only by its maker.',
  },
  {
    id: 'connections.tools',
    says: 'Tools of an MCP connection are an agent’s tools, called with an id that is the same on every attempt.',
  },
  {
    id: 'connections.toolFiles',
    says: 'Pictures and bytes that a tool brings are files of the run; errors are errors.',
  },
  { id: 'connections.toolResults', says: 'What a tool brings is data for the model, cut of secrets.' },
  { id: 'connections.scrubbed', says: 'A secret is found in what comes back however it is spelled.' },
  {
    id: 'connections.toolNames',
    says: 'Names of tools have letters that every model takes, at most 64, and are never two tools’.',
  },
  { id: 'connections.toolNamesStay', says: 'A tool’s name stays when its connection is renamed.' },
  {
    id: 'connections.revoked',
    says: 'A revoked grant makes runs wait; authorised again they continue and each call is made once.',
  },
  {
    id: 'connections.newKey',
    says: 'A refused key makes runs wait; with a new key they continue, also when a message woke them in between.',
  },
  {
    id: 'connections.keyChanges',
    says: 'A key that is replaced while a call is under way is tried; one that is refused too makes the run wait.',
  },
  {
    id: 'connections.wantsScopes',
    says: 'A tool that needs more scopes says so, and the next authorisation asks for them.',
  },
  { id: 'connections.brokerBroken', says: 'Runs wait also for a connection whose tokens a broker keeps.' },
  { id: 'connections.waitEnds', says: 'A wait ends when its connection is switched off or deleted, with a sentence.' },
  {
    id: 'connections.waitStopped',
    says: 'A run that waits for a connection can be stopped, deleted and retried from its call.',
  },
  {
    id: 'connections.waitAside',
    says: 'A team whose slots are locked holds up no run of another team that waits for a connection.',
  },
  { id: 'connections.waitParallel', says: 'Calls of one turn wait together and each is made once.' },
  { id: 'connections.waitRace', says: 'A connection that is fixed while a run begins to wait is not missed.' },
  {
    id: 'connections.waitAgain',
    says: 'A connection that breaks again before its run gets to its call is waited for again.',
  },
  {
    id: 'connections.waitTakeover',
    says: 'A process that dies around the break of a connection leaves a run that another one lets wait.',
  },
  { id: 'connections.refreshed', says: 'Tokens are renewed at four fifths of their time, and at least daily.' },
  { id: 'connections.refreshRace', says: 'Eight processes that need one expired token make one refresh.' },
  { id: 'connections.refreshRefused', says: 'A refused renewal breaks the connection once, with its reason.' },
  { id: 'connections.refreshNone', says: 'A token that cannot be renewed is a person’s to fix at its end.' },
  { id: 'connections.refreshTrouble', says: 'Trouble is tried again ever later; calls say when the next try is.' },
  { id: 'connections.refreshClient', says: 'A provider that refuses the server’s own client breaks no connection.' },
  {
    id: 'connections.refreshOtherClient',
    says: 'The secret of the server’s client goes only where that client belongs; a connection of another client stays as it was, and continues when the settings name its client again.',
  },
  { id: 'connections.refreshLost', says: 'A process that died while it renewed is replaced when its time is over.' },
  {
    id: 'connections.refreshOverridden',
    says: 'What a person authorised during a renewal is not overwritten by it.',
  },
  { id: 'connections.refreshFair', says: 'A provider that does not answer holds up no other.' },
  {
    id: 'connections.refused',
    says: 'A 401 renews once and calls once more; a new token that is refused too is the answer.',
  },
  {
    id: 'connections.pinned',
    says: 'Tools that change or come later are not approved until a person approves just that.',
  },
  {
    id: 'connections.pinnedWord',
    says: 'A call of a changed or new tool waits for a person, who sees what changed; so does a call that was postponed while its tool changed.',
  },
  { id: 'connections.pinnedText', says: 'A model is shown approved texts alone.' },
  {
    id: 'connections.pinnedAgain',
    says: 'Authorising a connection again approves its tools; the daily look never does.',
  },
  {
    id: 'connections.pinnedGone',
    says: 'A tool that its server no longer has fails with its words, and the list is asked for again.',
  },
  {
    id: 'connections.doubt',
    says: 'A call that was cut off is repeated only where an approved tool says that it may be.',
  },
  {
    id: 'connections.canary',
    says: 'No secret of a connection is found in answers, messages, events, logs, requests of a model, or the database.',
  },
  { id: 'connections.plans', says: 'Due connections are found by an index.' },
  // the hosted MCP endpoint
  {
    id: 'mcp.conformance',
    says: 'All 30 server scenarios of the official conformance suite pass behind the same kit and transport, but for at most four that a committed file excuses by clause.',
  },
  {
    id: 'mcp.clients',
    says: 'The official TypeScript clients of both protocol eras list and call tools, read resources, and get and complete prompts over HTTP.',
  },
  { id: 'mcp.toolListSize', says: 'The default list of tools is about 25 core operations in at most 24 KB of JSON.' },
  {
    id: 'mcp.toolPerOperation',
    says: 'With toolsets=all every operation is a tool by its id, but those that manage keys, clear queues, stream or take bytes.',
  },
  {
    id: 'mcp.toolsets',
    says: 'The address chooses sets of tools; an unknown set is refused with the names that exist, a tool outside them is unknown.',
  },
  { id: 'mcp.readonly', says: 'With readonly=1 only tools that change nothing are listed, and others are refused.' },
  {
    id: 'mcp.scopes',
    says: 'Tools are listed by what the credential may do; a call beyond that is refused with the scope it lacks.',
    gap: {
      question: 'Are tools listed that the credential may not call?',
      file: 'server/src/features/mcp/toolCatalog.ts',
    },
  },
  {
    id: 'mcp.arguments',
    says: 'A tool takes path, query and body fields side by side, team_id may be left out, mutating ones take idempotency_key; schemas of answers only on request.',
  },
  { id: 'mcp.collisions', says: 'An operation of which two arguments have the same name stops the service at start.' },
  { id: 'mcp.sameCode', says: 'A tool call answers what HTTP answers, as text and as structured content.' },
  {
    id: 'mcp.source',
    says: 'A run started over MCP has the source mcp, and the call has the audit row of its operation.',
  },
  { id: 'mcp.errors', says: 'A refused tool call is a result with isError and the error of the API.' },
  { id: 'mcp.hostileArguments', says: 'No arguments and arguments of wrong types make no tool fail.' },
  {
    id: 'mcp.tenancy',
    says: 'Every tool called with ids of another team answers as for an unknown id, and changes nothing.',
  },
  { id: 'mcp.interleaved', says: 'Of 10,000 interleaved calls of two teams on one process none is crossed.' },
  {
    id: 'mcp.idempotencyArgument',
    says: 'A tool call with the same idempotency_key and arguments gets the first answer again and acts once.',
  },
  {
    id: 'mcp.idempotencyMessage',
    says: 'An Idempotency-Key on the POST gives the whole answer again, and acts once even when the answer was lost after the effect.',
    gap: {
      question:
        'What does the key of a message mean when the process dies between the effect of its tool call and its answer?',
      file: 'server/src/features/mcp/callMcp.ts',
    },
  },
  {
    id: 'mcp.rateLimit',
    says: 'A message counts once against the rate limit, whatever it asks for; past it the refusal is a 429 in our shape.',
    gap: { question: 'Does a tool call count beside the message that carries it?', file: 'server/src/kit/protocol.ts' },
  },
  {
    id: 'mcp.malformed',
    says: 'A body that is not JSON-RPC at all is a 400 in our error shape; malformed JSON-RPC, a batch included, is one in the protocol’s.',
  },
  {
    id: 'mcp.protocolErrors',
    says: 'Unknown methods, tools, prompts, resources and wrong params are errors of the protocol, never a failure.',
  },
  { id: 'mcp.notification', says: 'A notification is a 202 without a body, and GET is a 405.' },
  { id: 'mcp.versions', says: 'A protocol revision that we do not speak is refused with those that we do.' },
  {
    id: 'mcp.hosts',
    says: 'A Host that is not ours and a foreign Origin are a 403 before anything else.',
    gap: {
      question: 'Which hosts are ours where PUBLIC_URL is not the only way in?',
      file: 'server/src/kit/hostCheck.ts',
    },
  },
  { id: 'mcp.waitEnd', says: 'waitForRun answers with the run as soon as it has ended.' },
  { id: 'mcp.waitPerson', says: 'waitForRun answers at once when the run waits for a person, with what is asked.' },
  { id: 'mcp.waitTime', says: 'waitForRun answers with what is so when its time is up, and waits at most 50 seconds.' },
  { id: 'mcp.waitTenancy', says: 'waitForRun finds no run of another team.' },
  { id: 'mcp.waitProgress', says: 'waitForRun tells a client that asks for progress what happens while it waits.' },
  { id: 'mcp.waitLeft', says: 'waitForRun ends for a caller who has left and when the process stops.' },
  {
    id: 'mcp.docs',
    says: '/docs/mcp shows the set-up of five clients with the server’s own address, without scripts and without a key.',
  },
  // evidence: sealed logs and bundles
  {
    id: 'evidence.sealed',
    says: 'The log of every ended run is sealed and signed within about a second, however it ended; one that continues after its end gets another seal, which takes in the one before.',
  },
  {
    id: 'evidence.waits',
    says: 'However long it takes to seal a log, the live events of no team wait for it; whoever dies meanwhile leaves nothing, and a run that goes on meanwhile is sealed when it has ended again.',
  },
  {
    id: 'evidence.plans',
    says: 'Sealing finds ended runs, and the rows of their logs, by their keys, however many there are.',
  },
  {
    id: 'evidence.bundle',
    says: 'A bundle of a run or a case has its events, messages, steps, requests, config, deliveries, evaluations and files by their hashes, a page for people, and a signed manifest.',
  },
  {
    id: 'evidence.changed',
    says: 'Whatever is changed in the rows of a sealed log, whoever changes it in the database, a bundle that is made later does not fit, and the row is named.',
  },
  {
    id: 'evidence.late',
    says: 'A log that somebody rewrote in the database and had sealed again is remarked on: its signature says how long after its last event it was made.',
  },
  {
    id: 'evidence.unsealed',
    says: 'The rows of a run that no signed seal holds are counted and named, also by the script: later ones, and messages that no event has.',
  },
  {
    id: 'evidence.foreignKeys',
    says: 'A row of keys that somebody wrote into the database is neither published nor used: a key counts only if it opens under the encryption key.',
  },
  {
    id: 'evidence.erased',
    says: 'What retention erased of a log leaves its links in the seals, and the bundle still fits.',
  },
  {
    id: 'evidence.erasing',
    says: 'A run that is deleted while it is sealed leaves no seal, and a bundle is not finished if the log is erased while it is made.',
  },
  {
    id: 'evidence.keys',
    says: 'The public keys of all signatures are at /.well-known/runyard-evidence.json, also those that are not used any more; the database is asked for them every few seconds at most.',
  },
  {
    id: 'pools.bundles',
    says: 'Evidence bundles of one team never hold all slots of a process; one that waits too long is refused before its first byte.',
  },
  {
    id: 'evidence.scopes',
    says: 'A bundle leaves out the parts that its caller may not read, says so, and is refused to a caller who may not read all events of runs.',
  },
  // evaluations: rubrics, judgements, scores and the gate
  {
    id: 'evals.worst',
    says: 'Evaluated runs are listed the worst first: of an agent, of one of its builds, or those in which a check did not pass.',
  },
  {
    id: 'evals.marks',
    says: 'Each member has one mark for a run, which is deleted with it; getMarkAgreement says how often evaluations and marks agree, and where not.',
  },
  { id: 'evals.agents', says: 'listAgentScores has the evaluations of all agents side by side.' },
  {
    id: 'evals.everyRun',
    says: 'Every ended run is evaluated once for each of its ends, however many evaluators there are, with the messages that show each result.',
    gap: {
      question: 'How often is a run evaluated?',
      file: 'server/src/features/evaluations/getRunEvaluation.ts',
    },
  },
  {
    id: 'evals.atEnd',
    says: 'A run that one process drove from its beginning is evaluated with the write that ends it, with the result that its rows would give.',
  },
  {
    id: 'evals.platform',
    says: 'Six checks are computed from the log: ended by itself (completed), tool errors handled, no repeated call, case closed, limits kept, no secret printed.',
    gap: {
      question: 'What is every run checked for?',
      file: 'server/src/features/evaluations/platformRubrics.ts',
    },
  },
  {
    id: 'evals.longRuns',
    says: 'Of a run with more than 5,000 messages the last 5,000 are checked, and the results say so.',
    gap: { question: 'How much of a giant run is checked?', file: 'server/src/features/evaluations/runLog.ts' },
  },
  {
    id: 'evals.secrets',
    says: 'Text that looks like a secret is named by its kind, with its messages, and never repeated.',
  },
  {
    id: 'evals.case',
    says: 'A run that ends without closing its case does not pass; for a run without a case, or that passed it on, the result is null.',
    gap: {
      question: 'Is a postponed or handed-over case closed?',
      file: 'server/src/features/evaluations/platformRubrics.ts',
    },
  },
  {
    id: 'evals.lists',
    says: 'has_issues and issue_severity follow the latest finished evaluation, whose summary the run carries.',
  },
  {
    id: 'evals.again',
    says: 'A run that ends again is evaluated again, and the new result counts instead of the old one.',
  },
  {
    id: 'evals.request',
    says: 'evaluateRun gives 202 with the evaluation to come, once for all who ask before it is ready; 409 for a run that has not ended or has no log.',
    gap: {
      question: 'What does evaluateRun answer, also for a run that continues at the same time?',
      file: 'server/src/features/evaluations/evaluateRun.ts',
    },
  },
  {
    id: 'evals.withoutModel',
    says: 'Without a model custom results are null, the evaluation is ready, and the summary says why.',
  },
  {
    id: 'evals.scores',
    says: 'Scores count each run once, by its latest finished evaluation, on the UTC day on which it ended; flag_distribution counts what did not pass.',
    gap: {
      question: 'Which day does an evaluation belong to, and what does flag_distribution count?',
      file: 'server/src/features/evaluations/getEvalScores.ts',
    },
  },
  {
    id: 'evals.buildScores',
    says: 'Each build has the mean score of its latest evaluated runs, as many as the gate asks for, in the pages of listAgentRevisions.',
  },
  {
    id: 'evals.deleted',
    says: 'Deleting a run removes its evaluations and transcripts, also from the scores.',
    gap: { question: 'Do scores keep deleted runs?', file: 'server/src/features/evaluations/forgetEvaluations.ts' },
  },
  {
    id: 'evals.neverInTheWay',
    says: 'An evaluation waits for no run and no run for an evaluation: a run that is being written is left for the next round.',
  },
  {
    id: 'evals.neverStuck',
    says: 'A run that cannot be evaluated ends as unavailable, counts for nothing, and holds up no other.',
  },
  {
    id: 'evals.survives',
    says: 'A process killed, or cut off, while it evaluates leaves every run to be evaluated once by another.',
  },
  { id: 'evals.tenancy', says: 'Rubrics, evaluations, scores and gates of another team or agent are not there.' },
  {
    id: 'evals.rubrics',
    says: 'A build has its own rubrics; the live one’s unless another is named; a deletion answers 204 without a body.',
    gap: {
      question: 'Which build do rubrics belong to?',
      file: 'server/src/features/evaluations/rubric.ts',
    },
  },
  {
    id: 'evals.rubricLimit',
    says: 'Of rubrics that are added at once at most five are; the others get 409 rubric_limit.',
  },
  {
    id: 'evals.rubricHistory',
    says: 'A changed rubric is a new one with a flag of its own, unique in its build for ever; a change of its position alone keeps it the same.',
    gap: {
      question: 'What is the slug of a rubric that replaces another, and is a new sort_order a new rubric?',
      file: 'server/src/features/evaluations/updateEvalRubric.ts',
    },
  },
  {
    id: 'evals.rubricsReplaced',
    says: 'Replacing all rubrics keeps those that are the same, makes new ones for those that differ and ends those that are missing.',
    gap: {
      question: 'Are all rubrics new after a replace?',
      file: 'server/src/features/evaluations/replaceEvalRubrics.ts',
    },
  },
  {
    id: 'evals.rubricsCarried',
    says: 'A new build has the rubrics in force of the build that it is made of, also of another agent.',
  },
  {
    id: 'evals.judge',
    says: 'The server’s model judges all custom rubrics of a run in one call, with evidence, cost in the team’s usage and a transcript.',
  },
  { id: 'evals.judgeNonsense', says: 'A judge whose answer does not fit is asked once more.' },
  {
    id: 'evals.judgeUnavailable',
    says: 'A judge that answers nonsense, refuses, dies or is silent leaves the evaluation unavailable with the reason; what was checked without it counts.',
    gap: {
      question: 'Do the platform results of an unavailable evaluation count?',
      file: 'server/src/features/evaluations/judging.ts',
    },
  },
  {
    id: 'evals.judgeLease',
    says: 'What a dead process was judging is judged by another when its lease is over; a late answer changes nothing; a stopping one gives it back.',
  },
  { id: 'evals.judgeNeverInTheWay', says: 'A judge that hangs holds up no other evaluation.' },
  { id: 'evals.judgeFair', says: 'A team with many runs to judge leaves room for the others.' },
  {
    id: 'evals.judgeSpared',
    says: 'A run that never began, or whose agent is deleted, is not put to the judge.',
    gap: { question: 'Is a run judged that never began?', file: 'server/src/features/evaluations/evaluateEnded.ts' },
  },
  {
    id: 'evals.transcript',
    says: 'The judge reads the whole run, or the beginning and end of a very long one with a mark; what it was asked is kept as long as the messages.',
    gap: {
      question: 'How much of a long run does the judge read, and how long is its transcript kept?',
      file: 'server/src/features/evaluations/transcript.ts',
    },
  },
  {
    id: 'evals.gate',
    says: 'A build whose last last_runs ready evaluations score below min_score, or that has fewer, is refused with the figures and what to do; min_score null takes the gate away.',
    gap: {
      question: 'What happens to a build with fewer evaluated runs than the gate asks for?',
      file: 'server/src/features/evaluations/promotionGate.ts',
    },
  },
  {
    id: 'evals.gateForced',
    says: 'force_reason opens the gate and is kept with the figures of that moment, which getPromotionGate shows.',
  },
  // replays
  {
    id: 'replays.sets',
    says: 'Runs that completed or failed are copied to a replay set of their agent, by id or the last ones; a run that cannot be replayed is skipped with the reason, and so is what is beyond the logs that one request reads.',
    gap: {
      question: 'Which runs can be recorded in a replay set?',
      file: 'server/src/features/replays/recording.ts',
    },
  },
  {
    id: 'replays.runbooks',
    says: 'A runbook that did not change replays exactly as it was recorded; one that changed is reported where it differs.',
  },
  {
    id: 'replays.noCalls',
    says: 'The record answers a call with the same tool and arguments, each recorded call once, then the last answer again. A replay makes no call and causes nothing else: no run, request, event, case or file; a call that is not in the record is a finding.',
    gap: {
      question: 'How does a replay find the answer of a call?',
      file: 'server/src/features/replays/replaying/recordedAnswers.ts',
    },
  },
  {
    id: 'replays.models',
    says: 'A model answers live in a replay, is charged to the team with the purpose replay, and never costs more than max_cost_usd.',
  },
  {
    id: 'replays.limits',
    says: 'What a replay cannot follow (a conversation that a run would fold, a model that does not answer, money that is spent) is said for its run, and the others are replayed.',
  },
  {
    id: 'replays.durable',
    says: 'A replay that is cut off continues from the turns that are stored; each run is in the report once, and calls in doubt are reported as unsettled.',
  },
  {
    id: 'replays.guardrails',
    says: 'No guardrail stops a replay, asks about it or counts it, and what guardrails did to the recorded run is not held against the build.',
    gap: {
      question: 'How does a replay meet the guardrails of its team?',
      file: 'server/src/features/replays/replaying/replayState.ts',
    },
  },
  {
    id: 'replays.storage',
    says: 'Recordings and reports of replays count as storage of the team until they are deleted; what does not fit is not recorded, and no replay begins.',
  },
  { id: 'replays.cancel', says: 'A replay can be cancelled; what was replayed stays in its report.' },
  {
    id: 'replays.erasure',
    says: 'A recording outlives the log of its run, and goes with the run, its set or its agent; reports then keep only figures.',
  },
  {
    id: 'replays.gate',
    says: 'A replay gate refuses a build without a good replay of the build and the set as they are; force_reason passes it and is stored.',
    gap: {
      question: 'Which replay of a build counts at the gate?',
      file: 'server/src/features/replays/replayGate.ts',
    },
  },
  { id: 'replays.fair', says: 'Runs to replay are taken from the team that has least under way.' },
  // suggestions
  {
    id: 'suggestions.made',
    says: 'A check that fails in as many of the last runs as the settings say makes the builder write one draft, which is replayed and shown with its diff and its runs.',
    gap: {
      question: 'When does a failing check make a suggestion?',
      file: 'server/src/features/agents/suggestions/failingChecks.ts',
    },
  },
  {
    id: 'suggestions.readers',
    says: 'A suggestion shows the titles of its runs only with `runs:read`, and what the check said of them only with `evals:read`.',
  },
  {
    id: 'suggestions.settings',
    says: 'Suggestions are switched on for an agent, with limits, and off; while they are off, none is made.',
  },
  {
    id: 'suggestions.accept',
    says: 'An accepted suggestion is an ordinary promotion with its gates, event and audit row; a draft that was changed after its replay is refused.',
  },
  {
    id: 'suggestions.reject',
    says: 'A rejected suggestion keeps its reason, ends its builder run and its replay, and is not made again for the same build and check.',
  },
  {
    id: 'suggestions.stale',
    says: 'A suggestion becomes stale when another build becomes live; one whose draft is promoted is accepted.',
  },
  {
    id: 'suggestions.once',
    says: 'An agent has one undecided suggestion for a check, at most three in all, and none while nobody can write or pay for it, with the reason.',
    gap: {
      question: 'What holds suggestions back, and who is asked to pay for them?',
      file: 'server/src/features/agents/suggestions/makeSuggestion.ts',
    },
  },
  {
    id: 'suggestions.verdict',
    says: 'The verdict says in how many runs behind the suggestion the check passes now, and in how many runs a check fails that passed.',
    gap: {
      question: 'What does a replay say of a suggestion?',
      file: 'server/src/features/agents/suggestions/replayVerdict.ts',
    },
  },
  {
    id: 'suggestions.erasure',
    says: 'What a suggestion stores of a run goes with the run, and suggestions of a deleted agent are gone.',
  },
  {
    id: 'suggestions.deaths',
    says: 'A process that dies at any statement leaves one suggestion with one draft, one builder run and one replay.',
  },
  // usage and entitlements
  {
    id: 'usage.month',
    says: 'getBillingUsage tells runs, active time, tokens, cost, storage and deliveries of the current UTC month, by day, agent, model and purpose, the same before and after it is folded.',
  },
  {
    id: 'usage.models',
    says: 'listModelUsage tells which agents used which model in a span of days, the most expensive first.',
  },
  {
    id: 'usage.once',
    says: 'A run is counted once, by how it ended last, and stays counted when it is erased.',
    gap: {
      question: 'How is a run counted that ends, continues and ends again?',
      file: 'server/src/engine/counting/usage.ts',
    },
  },
  {
    id: 'usage.months',
    says: 'A run counts on the day of its creation; what it uses counts when it is used, active time when its stretch ends.',
    gap: {
      question: 'In which month is a run counted that begins in one and ends in the next?',
      file: 'server/src/engine/counting/usage.ts',
    },
  },
  {
    id: 'usage.unsettled',
    says: 'A model call whose answer nobody has is listed as unsettled, with what was set aside for it, and is in no other figure; one that the provider refused is not. An empty answer counts as used if the provider reported its tokens.',
    gap: {
      question: 'What happens to answers that a provider may have charged for and nobody has?',
      file: 'server/src/engine/driving/turn.ts',
    },
  },
  {
    id: 'usage.purposes',
    says: 'Calls of builders and judges count beside those of runs, by their purpose, also when the model refused or the builder died.',
  },
  {
    id: 'usage.deliveries',
    says: 'A webhook delivery counts when its receiver takes it.',
    gap: {
      question: 'Which deliveries are used: those attempted or those taken?',
      file: 'server/src/engine/counting/usage.ts',
    },
  },
  {
    id: 'usage.storage',
    says: 'sandbox_bytes is what sandboxes hold, earlier contents too, now or at the end of a period that is over.',
    gap: { question: 'What is the storage of a past period?', file: 'server/src/engine/counting/usage.ts' },
  },
  {
    id: 'usage.together',
    says: 'Writers, folders and readers at once leave nothing out of the usage and count nothing twice.',
  },
  {
    id: 'usage.history',
    says: 'getBillingUsageHistory counts whole UTC days, at most 400, and says which.',
    gap: {
      question: 'How does a time within a day bound a span of usage?',
      file: 'server/src/features/billing/getBillingUsageHistory.ts',
    },
  },
  {
    id: 'usage.before',
    says: 'An older database tells after its migration what it used before, as far as that is still known.',
  },
  {
    id: 'usage.killed',
    says: 'With workers killed and runs stopped at random, usage is what the provider charged less the answers that were lost, to the token and the micro-dollar, and every lost one is listed.',
  },
  {
    id: 'entitlements.read',
    says: 'getBillingEntitlements shows all five kinds with limit, use and unit; without a limit of its own only max_concurrent_runs and storage_bytes are bounded, by the server’s defaults; another team sees nothing of it.',
    gap: {
      question: 'Which entitlements are enabled, and where do limits come from?',
      file: 'server/src/features/billing/getBillingEntitlements.ts',
    },
  },
  // Guardrails of a team
  {
    id: 'guardrails.set',
    says: 'Whoever manages keys sets the rules of a team as a new version, which is live at once and never changed; everybody reads them and their history; rules that are live already make no version.',
  },
  {
    id: 'guardrails.problems',
    says: 'Rules that cannot be used are refused with every problem by its name: hosts, time zones, a week without an open hour, connections of nobody, two people where there is one.',
  },
  {
    id: 'guardrails.restore',
    says: 'Restoring a version makes its rules the newest version; the history keeps both, and a change of an older version than the live one is refused.',
  },
  {
    id: 'guardrails.patterns',
    says: 'A pattern of tool names fits by characters and *, and takes time by the product of its length and the name’s.',
  },
  {
    id: 'guardrails.quietHours',
    says: 'Quiet hours follow the clock on the wall of their time zone, over midnight, over the week’s end and over both changes of the clock.',
    gap: {
      question: 'What are hours without outside effects?',
      file: 'server/src/engine/guardrails/quietHours.ts',
    },
  },
  {
    id: 'guardrails.hosts',
    says: 'A call to a host or over a connection that is not allowed is refused before anything is sent, with the rule and the version in its error, and is listed among the stops; a server that no call may reach is not asked for its tools.',
  },
  {
    id: 'guardrails.asks',
    says: 'A tool that always asks waits for a person whatever its build says and whatever else it lists; where the build asks already, nobody is asked twice.',
  },
  {
    id: 'guardrails.underWay',
    says: 'Rules that become live apply to the next call of runs under way, in every process; a call that waited for one person’s approval is asked about again where two must allow it by then.',
  },
  {
    id: 'guardrails.twoPeople',
    says: 'Of a call that needs two people, two different members approve, never one twice, by whatever credential and however they race over two processes; one rejection ends it; it is made once.',
    gap: {
      question: 'Who are two people? May somebody approve what a run does for them?',
      file: 'server/src/engine/requests/humanRequests.ts',
    },
  },
  {
    id: 'guardrails.takenBack',
    says: 'Until the second person approves, the first can take the approval back or reject, and anybody else can reject; however these race over two processes, a call is made only with two approvals that stand.',
    gap: {
      question: 'Can somebody change their mind after the first of two approvals?',
      file: 'server/src/features/humanRequests/withdrawApproval.ts',
    },
  },
  {
    id: 'guardrails.why',
    says: 'Where a run, or the cases of a queue, wait because of guardrails, the explanation names the rule, the version and the end, and how many of two people have approved.',
  },
  {
    id: 'guardrails.everywhere',
    says: 'Sub-runs, schedules, cases, starts over MCP, browser actions, sandbox commands and calls over renamed connections meet the same rules.',
  },
  {
    id: 'guardrails.known',
    says: 'A process that was idle for long, or misses a notification, judges its next call by the newest version.',
  },
  {
    id: 'guardrails.quietCalls',
    says: 'In quiet hours a call with an effect outside waits until they are over, or until the rules change; reading does not wait, and nothing fails.',
  },
  {
    id: 'guardrails.calls',
    says: 'At the bound of outside calls of a day further calls wait for the next day; processes together make exactly as many as the bound.',
  },
  {
    id: 'guardrails.starts',
    says: 'At the bound of runs of a day a start is a 409 guardrail_reached that names rule, use and the next day, over two processes exactly; a team without rules is not touched.',
  },
  {
    id: 'guardrails.cost',
    says: 'A model call whose worst cost does not fit into the day waits for the next, with what calls of other runs under way may cost counted in; no answer may be longer than what is held back for it, also in runs that began before the rule; past the bound no run starts.',
  },
  {
    id: 'guardrails.dryRun',
    says: 'A dry run names, call by call, what the same rules then stop when they are live on the same starts, and says from when on there are rows.',
    gap: {
      question: 'What does a dry run count after a call that would have been stopped?',
      file: 'server/src/features/guardrails/judgedRecords.ts',
    },
  },
  {
    id: 'guardrails.dryRunBounds',
    says: 'A dry run reads calls some megabytes at a time and is charged to its team; one that cannot be judged is failed and makes room for another.',
  },
  { id: 'guardrails.plan', says: 'Lists of versions and of stops go by indexes.' },
  {
    id: 'console.inbox.twoPeople',
    says: 'A request that needs two people shows who has approved; the first can take the approval back or reject, and the second can approve or reject.',
  },
  {
    id: 'console.guardrails',
    says: 'Guardrails are read, changed in a form that names every problem at its field, tried by a dry run beside it, compared and restored; connections are chosen by name, and a list that allows nothing stays one.',
  },
  { id: 'guardrails.cli', says: 'The command line shows, sets, dry-runs, lists and restores guardrails.' },
  {
    id: 'entitlements.monthlyRuns',
    says: 'Of 1,000 concurrent starts over two processes at a limit of 50 a month exactly 50 begin, with and without keys; each refusal is a 403 entitlement_exceeded that names limit, use and the next month; a refused start leaves no run and no event.',
  },
  { id: 'entitlements.replay', says: 'A refusal is stored under its Idempotency-Key and replayed like any 4xx.' },
  {
    id: 'entitlements.midMonth',
    says: 'A limit set in the middle of a month counts what was started before, erased runs and those of processes that did not know of it too.',
  },
  {
    id: 'entitlements.everyWay',
    says: 'Retries, sub-runs, schedules and cases count as starts do, also all at once: a retry is 403, a sub-run’s call fails with the reason, a schedule skips and shows it, a case stays pending and goes out when the limit is changed.',
  },
  {
    id: 'entitlements.cost',
    says: 'Past monthly_cost_usd (spent and held back) no run starts, no builder run asks a model, and no run is judged because somebody asks; runs under way continue, and a run that ends is judged.',
    gap: { question: 'What does monthly_cost_usd stop?', file: 'server/src/engine/counting/monthlyLimits.ts' },
  },
  {
    id: 'entitlements.agents',
    says: 'Of 20 concurrent createAgent at a limit of 3 exactly 3 succeed; a deleted one makes room.',
  },
  {
    id: 'entitlements.storage',
    says: 'Uploads, upload URLs and files that runs write keep to storage_bytes to the byte, also concurrently over sandboxes.',
    gap: {
      question: 'How exactly is storage_bytes kept?',
      file: 'server/src/features/sandboxes/workspace/quota.ts',
    },
  },
  {
    id: 'entitlements.storageOfAll',
    says: 'storage_bytes counts files of sandboxes, titles and data of cases, memory, and messages over 64 KiB; past it each of them is refused.',
    gap: { question: 'What does storage_bytes count?', file: 'server/src/engine/counting/storageLimit.ts' },
  },
  {
    id: 'entitlements.storedTexts',
    says: 'Large texts in the log of a run count as stored like its message; a retry, a sub-run, a schedule or a case whose large message does not fit starts nothing.',
  },
  {
    id: 'entitlements.storageDefault',
    says: 'A team without a limit of its own may keep RUNYARD_TEAM_STORAGE_BYTES (10 GiB; 0: no limit), which shows as its limit; it is kept by a count at most ten seconds old.',
    gap: {
      question: 'Is there a limit on what a team stores unless one is set?',
      file: 'server/src/engine/counting/storageLimit.ts',
    },
  },
  {
    id: 'entitlements.places',
    says: 'Past max_concurrent_runs a run waits as pending and explainRun names that limit.',
  },
  {
    id: 'entitlements.free',
    says: 'Without a limit a start reads and writes nothing for it: no counter row, no transaction of its own.',
  },
  {
    id: 'entitlements.commands',
    says: 'runyard entitlements list, set and unset work on the database, check what is typed, and are in the audit log; no route changes a limit.',
  },
  // Figures for agents and pages
  {
    id: 'operations.runs',
    says: 'operations_runs counts runs by status, agent, hour or day of UTC, exactly, from counts and what is not folded yet.',
  },
  {
    id: 'operations.bounded',
    says: 'The tools of operations answer at most 500 rows of at most 400 days, and say how many rows were left out.',
  },
  {
    id: 'operations.inputs',
    says: 'A time, an agent or a queue that a tool of operations cannot read is answered with a sentence that says what would be right.',
  },
  {
    id: 'operations.queues',
    says: 'operations_queues counts the cases of queues by status, and those that wait by their age.',
  },
  { id: 'operations.usage', says: 'operations_usage adds up runs, time, tokens and cost by day, agent and model.' },
  {
    id: 'operations.evaluations',
    says: 'operations_evaluations adds up evaluations by agent and day, and the checks that did not pass by severity.',
  },
  {
    id: 'operations.deliveries',
    says: 'operations_deliveries counts deliveries by target and state, and shows no more of a URL than its host.',
  },
  {
    id: 'operations.artifacts',
    says: 'The tools of operations do not count runs of artifacts; what these used is counted, without the name of an artifact.',
  },
  { id: 'operations.tenancy', says: 'The tools of operations read the rows of the run’s own team alone.' },
  { id: 'operations.plans', says: 'No statement of the tools of operations reads a large table whole.' },
  {
    id: 'artifacts.templates',
    says: 'The built-in pages show the figures of a team at work, and say to a new team what they will show.',
  },
] as const satisfies readonly Requirement[]

export type RequirementId = (typeof sentences)[number]['id']

export const requirements: readonly (Requirement & { id: RequirementId })[] = sentences

/** docs/gaps.md: what the contract left open, our answer, and the file that holds it. */
export function gapsPage(): string {
  const rows = requirements.flatMap(({ says, gap }) => (gap ? [`| ${gap.question} | ${says} | \`${gap.file}\` |`] : []))
  return [
    '# What the contract left open, and our answers',
    '',
    'Generated from `server/test/requirements.ts` by `npm run openapi`; each answer is proved by a test that cites it.',
    '',
    '| Question | Answer | File |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
