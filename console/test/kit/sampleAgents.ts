// The agents of the sample data: procedures as people write them. None of them needs a model or a server outside.
import type { CreateAgentInput } from '../../../sdk/src/index.ts'

export type SampleAgent = keyof typeof sampleAgents

interface Sample {
  description: string
  procedure: string
  /** More of its config than the procedure. */
  config?: Record<string, unknown>
}

/** What creates an agent; a copy of its text becomes the live build. */
export const agentInput = (name: string, { description, procedure, config }: Sample): CreateAgentInput => ({
  name,
  description,
  memory_enabled: true,
  build: { config: { version: 'v2', data: { input: procedure, ...config } } },
})

const fence = '```'

/** A step of a procedure: `step('wait', '3h')`. */
export const step = (head: string, body = ''): string =>
  [fence + head, ...(body === '' ? [] : [body]), fence].join('\n')

const procedure = (title: string, ...parts: string[]): string => [`# ${title}`, ...parts].join('\n\n')

export const sampleAgents = {
  'Refund desk': {
    description: 'Checks claims, and pays money back when somebody has agreed.',
    config: { approvals: { http_request: { when: "arguments.method == 'POST'" } } },
    procedure: procedure(
      'Refund an order',
      'The message has the `order`, the `amount` and the `reason` of a claim. The policy gives the full price within 14 days.',
      step('file path=claim.json', '{"order": {{ message.order }}, "amount": {{ message.amount }}}'),
      'Whoever decides reads what we know about the claim first.',
      step(
        'approve id=policy timeout=1d on_timeout=reject if="message.needs_policy"',
        [
          'Refund {{ message.amount }} EUR for order {{ message.order }}?',
          'The customer reports **two cracked legs** on a standing desk, delivered 9 days ago. Three photos fit the claim.',
          '',
          '| What | Value |',
          '|---|---|',
          '| Paid on 2 November | {{ message.amount }} EUR |',
          '| Delivered | 7 November |',
          '| Earlier refunds | none |',
        ].join('\n'),
      ),
      'The build wants every POST approved, so a person sees the exact call.',
      step(
        'http id=refund',
        [
          'POST https://payments.example.com/refunds',
          '',
          '{"order": {{ message.order }}, "amount": {{ message.amount }}, "currency": "EUR", "reason": {{ message.reason }}}',
        ].join('\n'),
      ),
      step('output', '{"refunded": {{ message.amount }}, "order": {{ message.order }}}'),
    ),
  },
  'Vendor onboarding': {
    description: 'Collects the details of a new supplier and writes them down.',
    procedure: procedure(
      'A new supplier',
      'The buyer knows the details; a form asks for them.',
      step(
        'ask id=details timeout=22m on_timeout=continue',
        [
          'Details of a new packaging supplier',
          'They deliver from next week. The **IBAN** is on their letter; the tax number may follow.',
          JSON.stringify({
            type: 'object',
            required: ['name', 'iban', 'terms', 'limit'],
            properties: {
              name: { type: 'string', title: 'Name of the company', minLength: 2, maxLength: 80 },
              iban: {
                type: 'string',
                title: 'IBAN',
                description: 'Two letters, two digits, then up to 30 letters and digits, without spaces.',
                pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9]{10,30}$',
              },
              terms: { type: 'string', title: 'Payment terms', enum: ['14 days', '30 days', '60 days'] },
              limit: { type: 'number', title: 'Limit of an order, EUR', minimum: 100, maximum: 50_000 },
              contact: { type: 'string', title: 'E-mail of the contact', format: 'email' },
              delivers_on: {
                type: 'array',
                title: 'Delivers on',
                items: { type: 'string', enum: ['Monday', 'Wednesday', 'Friday'] },
                uniqueItems: true,
              },
              certified: { type: 'boolean', title: 'Certified for food' },
              notes: { type: 'string', title: 'Notes', maxLength: 2000 },
            },
          }),
        ].join('\n'),
      ),
      step('file path=supplier.json', '{{ steps.details.output.values }}'),
      step('output', '{{ steps.details.output.values }}'),
    ),
  },
  Restock: {
    description: 'Counts what is on the shelves and orders what runs out.',
    procedure: procedure(
      'Order before it runs out',
      step('file path=shelves.json', '[4, 9, 2]'),
      step('tool name=sandbox_read_file id=count', '{"path": "shelves.json"}'),
      step(
        'approve id=order timeout=6h on_timeout=reject on_error=continue',
        'Order 40 boxes of label rolls for 318.00 EUR?\nOn the shelves: {{ steps.count.output.content | parse | sum }} boxes, enough for two days.',
      ),
      step('memory path=orders.md', 'Last order approved: {{ steps.order.ok }}'),
      step('output', '{"ordered": {{ steps.order.ok }}}'),
    ),
  },
  'Site editor': {
    description: 'Prepares changes of the web site; nothing is public before somebody has read it.',
    procedure: procedure(
      'Publish a text',
      step('file path=hours.md', '# Holiday hours\n\n24 December: 9 to 13\n25 December: closed'),
      step(
        'approve id=publish timeout=4h on_timeout=fail',
        'Publish holiday opening hours?\nThe text is in `hours.md`:\n\n- 24 December: 9 to 13\n- 25 December: closed',
      ),
      step('output', '{"published": true}'),
    ),
  },
  'Parcel desk': {
    description: 'Asks where a parcel goes, and who must know.',
    procedure: procedure(
      'Where parcels go',
      step(
        'ask id=where header=Delivery if="not message.several"',
        [
          'Did the payment call of order 88190 go through?',
          'The service of the bank did not answer in time, so nobody knows. Look at the account before you answer.',
          '- Yes: the money has left the account',
          '- No: there is no such booking',
          '- Not clear: look again in an hour',
        ].join('\n'),
      ),
      step(
        'ask id=tell multi=true if="message.several"',
        [
          'Who must know that the parcel is late?',
          '- The customer: by e-mail, in their language',
          '- The shop: they can offer another one',
          '- The carrier: they owe us an answer',
        ].join('\n'),
      ),
      step('ask id=words if="message.words"', 'What do we write to the customer?\nTwo sentences are enough.'),
      step('output', '{{ answers }}'),
    ),
  },
  'Statement fetch': {
    description: 'Fetches statements of the bank; somebody signs in first.',
    procedure: procedure(
      'Fetch the statement',
      step(
        'tool name=human_login id=bank',
        JSON.stringify({
          title: 'Sign in to the bank portal',
          description:
            'Open [the portal](https://bank.example.com/sign-in), sign in with your own token, then say so here.',
        }),
      ),
      step('output', '{"signed_in": {{ steps.bank.ok }}}'),
    ),
  },
  'Data import': {
    description: 'Sorts the rows of a file: those that fit, and those that do not.',
    config: { limits: { max_duration_s: 3600 } },
    procedure: procedure(
      'Import orders',
      step('file path=in/orders.csv', 'id,customer,amount\n1,Ada,12.50\n2,Ben,x\n3,Cleo,7.00\n4,Dora,118.20'),
      step(
        'bash id=split',
        'mkdir -p out\ngrep -E "[0-9]$" in/orders.csv > out/orders.csv\ngrep -vE "[0-9]$" in/orders.csv > out/refused.csv',
      ),
      step('bash id=count', 'wc -l < out/orders.csv'),
      step('bash id=strict if="message.strict" on_error=fail', 'echo "2 rows do not fit: line 1, line 3" >&2; exit 3'),
      step('file path=report.md', '# Import\n\n{{ steps.count.output.stdout | trim }} rows were taken over.'),
      step('output', '{"imported": {{ steps.count.output.stdout | trim | number }}}'),
    ),
  },
  'Address checker': {
    description: 'Says whether an address can be delivered to.',
    procedure: procedure(
      'Check an address',
      step('file path=address.json', '{"address": {{ message.address }}}'),
      step('output', '{"address": {{ message.address }}, "is_known": true}'),
    ),
  },
  'Night ledger': {
    description: 'Books the sixty accounts of the night, one after the other.',
    procedure: procedure(
      'Book the night',
      ...Array.from({ length: 30 }, (_, n) => [
        step(
          `file path=accounts/${n + 1}.json id=write_${n + 1}`,
          `{"account": ${n + 1}, "balance": ${(n * 37) % 101}}`,
        ),
        step(`tool name=sandbox_read_file id=read_${n + 1}`, `{"path": "accounts/${n + 1}.json"}`),
      ]).flat(),
      step('output', '{"accounts": 30}'),
    ),
  },
  'Photo sort': {
    description: 'Sorts the photos of the day. One run at a time.',
    config: { limits: { max_concurrent_runs: 1, max_duration_s: 3600 } },
    procedure: procedure(
      'Sort photos',
      step('file path=photos.txt', 'desk.jpg\nlamp.jpg\nchair.jpg'),
      step('bash id=sort timeout=10m', 'sort photos.txt > sorted.txt\nsleep {{ message.seconds | default(0) }}'),
      step('output', 'Sorted.'),
    ),
  },
  'Follow-up': {
    description: 'Waits some hours, then asks how it went.',
    procedure: procedure(
      'Ask again later',
      step('file path=note.md', 'Delivered today.'),
      step('wait', '{{ message.until | default("3h") }}'),
      step('output', 'Asked.'),
    ),
  },
  'Price watch': {
    description: 'Compares prices and reports them in a fixed form.',
    config: { output_schema: { type: 'object', required: ['price'], properties: { price: { type: 'number' } } } },
    procedure: procedure('Watch a price', step('output', '{"price": "unknown"}')),
  },
  'Letter writer': {
    description: 'Has a text but no steps: it needs a model.',
    procedure: procedure('Write a letter', 'Write a kind letter to the customer of the message.'),
  },
  Support: {
    description: 'Works on the cases of a queue, and asks people about the hard ones.',
    procedure: procedure(
      'Answer a support request',
      step(
        'case if="case.title contains \'password\'"',
        'complete\n{"answer": "Use the link on the page where you sign in."}',
      ),
      step('output if="case.title contains \'password\'"', 'Answered without a person.'),
      step(
        'ask id=decide header=Support timeout=2h',
        [
          'How do we answer “{{ case.title | default("no title") }}”?',
          'The customer has written once before.',
          '- Refund: the customer gets the money back',
          '- Replace: the customer gets a new one',
          '- Refuse: we explain why not',
        ].join('\n'),
      ),
      step('case', 'complete\n{"answer": {{ steps.decide.output.answers }}}'),
      step('output', '{{ steps.decide.output.answers }}'),
    ),
  },
} satisfies Record<string, Sample>

/** Starts the other one for two addresses; it needs its id, so it is made after it. */
export const orderDesk = (checkerId: string): CreateAgentInput =>
  agentInput('Order desk', {
    description: 'Takes orders and lets another agent check their addresses.',
    config: { subAgents: [checkerId] },
    procedure: procedure(
      'Take an order',
      step('agent id=ship name="Address checker"', '{"address": "Long Lane 4"}'),
      step('agent id=bill name="Address checker"', '{"address": "Short Street 9"}'),
      step('output', '[{{ steps.ship.output.output }}, {{ steps.bill.output.output }}]'),
    ),
  })

/** Texts as somebody writes them who wants to break the page. */
const long = 'Pneumonoultramicroscopicsilicovolcanoconiosis'.repeat(6)
const hostileText =
  '<img src=x onerror="document.title=\'broken\'"><script>document.title="broken"</script> \u202egnp.exe\u202c {{ "not a value" }}'

export const hostileTitle = `<b>Pay</b> <script>document.title="broken"</script> ${long}`.slice(0, 299)

export const hostileAgent: CreateAgentInput = agentInput(`<img src=x onerror=alert(1)> \u202eksed dnufeR`, {
  description: `${hostileText} ${long}`.replaceAll('{{', '{'),
  procedure: procedure(
    'Hostile',
    step(
      'tool name=human_approve if="message == \'approve\'"',
      JSON.stringify({
        title: hostileTitle,
        description: `# ${long}\n\n[press here](javascript:alert(1)) ![x](https://evil.example.com/pixel.png)\n\n<iframe src="https://evil.example.com"></iframe>\n\n| a | b |\n|---|---|\n| ${long} | ${long} |\n\n${'> '.repeat(40)}deep\n\n${fence}html\n<script>alert(1)</script>${long}\n${fence}`,
      }),
    ),
    step(
      'tool name=human_ask if="message == \'ask\'"',
      JSON.stringify({
        title: hostileTitle,
        questions: [
          {
            question: `__proto__ ${long}`,
            header: '<h1>header</h1>',
            options: [
              { label: `<script>alert(1)</script>${long.slice(0, 100)}`, description: long.repeat(3).slice(0, 990) },
              { label: 'constructor', description: '" onmouseover="alert(1)' },
            ],
          },
        ],
      }),
    ),
    step(
      'tool name=human_ask if="message == \'form\'"',
      JSON.stringify({
        title: hostileTitle,
        form_schema: {
          type: 'object',
          required: ['__proto__x', long.slice(0, 100)],
          properties: {
            __proto__x: { type: 'string', title: `<script>alert(1)</script> ${long}`, description: long },
            [long.slice(0, 100)]: { type: 'string', enum: [long, '<b>bold</b>'] },
            deep: {
              type: 'object',
              properties: { deeper: { type: 'object', properties: { x: { type: 'integer' } } } },
            },
          },
        },
      }),
    ),
    step(`file path="<b>bold</b> ${long.slice(0, 120)}.txt"`, 'text'),
    step('output', '{"html": "<script>document.title=1</script>", "long": "' + long + '"}'),
  ).replaceAll('{{', '\\{{'),
})
