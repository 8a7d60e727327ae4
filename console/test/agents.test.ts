// Agents as people make them: written with completion and fixes, run by a form, promoted past a gate and rolled back.
import assert from 'node:assert/strict'
import { Client } from 'pg'
import type { Page } from 'playwright-core'
import type { Runyard } from '../../sdk/src/index.ts'
import { canonicalHash } from '../../server/src/engine/builds/canonicalHash.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { axe } from './kit/axe.ts'
import { databaseOf } from './kit/longRun.ts'
import { step } from './kit/sampleAgents.ts'
import { needsConsole, needsLongConsole, stage } from './kit/stage.ts'

const story = stage()

const editor = (page: Page) => page.getByRole('textbox', { name: 'Procedure' })

/** Types into the editor, where the cursor is. */
async function write(page: Page, text: string): Promise<void> {
  await page.keyboard.insertText(text)
}

const shownRun = async (page: Page, sdk: Runyard) =>
  (await sdk.runs.get(/runs\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '')).run

proves(
  'console.agents.write',
  'a person makes an agent, writes a block with completion, takes a fix at its line, and runs the draft by its form, twice',
  needsConsole,
  story(
    async ({ page, sdk }) => {
      await page.getByRole('banner').getByRole('button', { name: 'New agent' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Pay desk')
      await page.getByRole('button', { name: 'Make it' }).click()
      await editor(page).click()
      await page.keyboard.press('Control+a')
      await write(page, '# Pay\n\n```fi')
      await page.getByRole('option', { name: /^file/ }).click()
      await page.keyboard.type(' p')
      await page.getByRole('option', { name: /^path/ }).click()
      await write(page, 'paid.txt\nPaid {{ mesage.amount }} EUR\n```\n')
      const problem = editor(page).getByText('"mesage" is not known')
      await problem.waitFor()
      assert.match(await page.getByRole('button', { name: '1 error' }).innerText(), /line 4/)
      assert.equal(await page.getByRole('button', { name: 'Save as build' }).getAttribute('aria-disabled'), 'true')
      await page.getByRole('button', { name: 'Use message' }).click()
      await problem.waitFor({ state: 'detached' })
      assert.match(await editor(page).innerText(), /```file path=paid\.txt\nPaid \{\{ message\.amount \}\} EUR/)
      await page.keyboard.press('Control+s')
      await page.getByText('Saved in draft 2').waitFor()
      await page.getByRole('region', { name: 'Steps' }).getByText('Exact').waitFor()

      await page.keyboard.press('Control+Enter')
      const form = page.getByRole('dialog', { name: /^Start a run of Pay desk/ })
      await form.getByRole('button', { name: 'Start', exact: true }).click()
      await form.getByText('This is needed.').waitFor()
      await form.getByRole('textbox', { name: 'amount' }).fill('12')
      assert.deepEqual(await axe(page), [])
      await form.getByRole('button', { name: 'Start', exact: true }).click()
      await page.waitForURL(/\/runs\/[0-9a-f-]{36}/)
      const first = await shownRun(page, sdk)
      assert.deepEqual([first.agent_name, first.message], ['Pay desk', { amount: '12' }])

      // the page of the agent, which has such a button too, may still be there for a moment
      const more = page
        .getByRole('region', { name: 'The run', exact: true })
        .getByRole('button', { name: 'More', exact: true })
      await more.click()
      await page.getByRole('menuitem', { name: 'Edit the input and run…' }).click()
      assert.equal(await form.getByRole('textbox', { name: 'amount' }).inputValue(), '12')
      await form.getByRole('textbox', { name: 'amount' }).fill('13')
      await form.getByRole('button', { name: 'Start', exact: true }).click()
      await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.includes(first.id))
      const second = await shownRun(page, sdk)
      assert.deepEqual([second.build_id, second.message], [first.build_id, { amount: '13' }])
    },
    { path: '/agents' },
  ),
)

const procedure = (text: string): string => `# Answer\n\n${step('output', text)}\n`

/** An agent with a live build and a draft of another one. */
async function twoBuilds(sdk: Runyard, name: string, gate: { min_score: number; last_runs: number }) {
  const { agent_id } = await sdk.agents.create({ name, instructions: procedure('One') })
  const config = { version: 'v2' as const, data: { input: procedure('Two'), limits: { max_steps: 9 } } }
  const { build_id } = await sdk.agents.createRevision(agent_id, { config })
  await sdk.evaluations.putPromotionGate(agent_id, gate)
  return { agentId: agent_id, path: `/agents/${agent_id}?build=${build_id}` }
}

proves(
  'console.agents.replay',
  'a person records runs, replays a draft against them, and reads both sides of a run that differs',
  needsLongConsole,
  story(async ({ page, sdk, service, mayLog }) => {
    mayLog(/status of 409/)
    const { agent_id } = await sdk.agents.create({ name: 'Replayed', instructions: procedure('One') })
    await sdk.runs.startAndWait({ agent_id })
    const config = { version: 'v2' as const, data: { input: procedure('Two') } }
    const { build_id } = await sdk.agents.createRevision(agent_id, { config })
    await page.goto(`${service.baseUrl}/agents/${agent_id}?tab=replays&build=${build_id}`)
    await page.getByText('No build was replayed yet').waitFor()
    await page.getByRole('button', { name: 'Record runs' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Record', exact: true }).click()
    await page.getByText('1 run recorded').first().waitFor()
    await page.getByRole('complementary').getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByText('1 run: 0 the same, 1 changed, 0 not replayed.').waitFor()
    const runs = page.getByRole('list', { name: 'Runs of the replay' })
    await runs.getByRole('button').first().click()
    await page.getByText('The outputs differ.').waitFor()
    await page.getByRole('columnheader', { name: 'Replayed', exact: true }).waitFor()
    await page.getByLabel('Show').selectOption('same')
    await page.getByText('No run of this replay is like that.').waitFor()
    await page.getByRole('button', { name: 'Set a gate' }).click()
    await page.getByText('a build needs a good replay').waitFor()
    await page.getByRole('button', { name: 'Delete the set Recorded' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('The replay gate of the agent asks for this set.').first().waitFor()
    assert.deepEqual(await axe(page), [])
  }),
)

proves(
  'console.agents.promote',
  'a person reads what a promotion changes and what the gate says, promotes with a reason, and rolls back',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const { agentId, path } = await twoBuilds(sdk, 'Answers', { min_score: 0.9, last_runs: 2 })
    await page.goto(service.baseUrl + path)
    await page.getByText('Gate closed').waitFor()
    await page
      .getByText('No run of this build has been evaluated yet: the gate wants 2. Run it 2 times.', { exact: true })
      .waitFor()
    await page.getByText('Compared with build 1, it adds 1 line, removes 1 line and changes 1 setting').waitFor()
    const promote = page.getByRole('button', { name: 'Promote', exact: true })
    assert.equal(await promote.getAttribute('aria-disabled'), 'true')
    const reason = page.getByRole('textbox', { name: 'Why it goes live all the same' })
    await reason.fill('Checked by hand.')
    await promote.click()
    await page.getByText('Build 2 is live').first().waitFor()

    const back = page.getByRole('region', { name: 'Roll back to build 1' })
    await back.getByText('Gate closed').waitFor()
    await back.getByText('Compared with build 2, it adds 1 line, removes 1 line and changes 1 setting').waitFor()
    assert.equal(await reason.inputValue(), 'Rolls back build 2.')
    await back.getByRole('button', { name: 'Roll back to build 1' }).click()
    await page.getByText('Build 1 is live').first().waitFor()
    const { forced_promotions } = await sdk.evaluations.getPromotionGate(agentId)
    assert.deepEqual(
      forced_promotions.map((one) => one.reason),
      ['Rolls back build 2.', 'Checked by hand.'],
    )
  }),
)

proves(
  'console.accessible',
  'an agent with an error and a closed gate has no hindrance in either theme, and is no wider than a phone',
  needsLongConsole,
  story(async ({ page, sdk, open, service }) => {
    const { path } = await twoBuilds(sdk, 'Two themes', { min_score: 1, last_runs: 1 })
    await page.goto(service.baseUrl + path)
    for (const window of [page, await open({ path, theme: 'dark' })]) {
      await window.getByText('Gate closed').waitFor()
      await editor(window).click()
      await window.keyboard.press('Control+Home')
      await write(window, '```output if="mesage"\nx\n```\n')
      await window.getByRole('button', { name: 'Use message' }).waitFor()
      assert.deepEqual(await axe(window), [])
    }
    const phone = await open({ path, size: { width: 390, height: 844 } })
    await phone.getByText('Gate closed').waitFor()
    assert.equal(await phone.evaluate('document.documentElement.scrollWidth'), 390)
  }),
)

proves(
  'console.agents.builder',
  'a person picks a secret for the builder, reads what it proposes beside the procedure, and accepts it with its triggers',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    await sdk.secrets.create({ name: 'crm', values: { CRM_TOKEN: 'a-value-of-the-crm-1' } })
    const { agent_id, build_id: live } = await sdk.agents.create({ name: 'Reader', instructions: '# Reader\n' })
    await page.goto(`${service.baseUrl}/agents/${agent_id}?panel=builder`)
    const call = step('http', 'GET https://api.example.com/orders\nAuthorization: Bearer sk-live-1234567890abcdef')
    await page
      .getByRole('textbox', { name: 'What shall the agent do?' })
      .fill(`Goal: read the orders.\n\n${call}\n\nDone when all are read.`)
    await page.getByRole('button', { name: 'Propose' }).click()
    await page.getByText('What looked like the value of a secret was cut out and not kept.').waitFor()
    const pick = page.getByRole('radio', { name: 'crm.CRM_TOKEN' })
    await pick.waitFor()
    assert.equal(await page.getByRole('link', { name: 'Make one on another tab' }).count(), 1)
    assert.deepEqual(await axe(page), [])
    await pick.check()
    await page.getByRole('button', { name: 'Answer' }).click()
    const review = page.getByRole('region', { name: 'Proposal' })
    await review.getByText('secrets', { exact: true }).waitFor()
    const { builder_run } = await sdk.agents.getRevisionBuilderRun(
      (await sdk.agents.listRevisions(agent_id).page()).builds.find(({ id }) => id !== live)?.id ?? '',
    )
    // only a model proposes them, and there is none here
    const triggers = [
      {
        kind: 'webhook',
        title: 'webhook “Issues”: proved by github',
        settings: { name: 'Issues', webhook: { verifier: 'github' } },
      },
    ]
    const client = new Client({ connectionString: databaseOf(service.dataDir) })
    await client.connect()
    await client.query('update builder_runs set proposed_triggers = $1::jsonb where id = $2', [
      JSON.stringify(triggers),
      builder_run.id,
    ])
    await client.end()
    const starts = page.getByRole('region', { name: 'What would start runs' })
    await starts.getByText('It stays paused until you give the secret of its sender').waitFor()
    assert.deepEqual(await axe(page), [])
    await page.getByRole('button', { name: 'Accept into the draft' }).click()
    await page.getByText('has the proposal, and 1 trigger until it is live').waitFor()
    const made = await sdk.triggers.list(agent_id)
    assert.deepEqual(
      made.triggers.map(({ name, enabled }) => [name, enabled]),
      [['Issues', false]],
    )
  }),
)

proves(
  'console.agents.suggestions',
  'a person switches suggestions on, reads the diff and the runs of one, rejects it with a reason, and accepts another',
  needsLongConsole,
  story(async ({ page, sdk, service }) => {
    const { agent_id } = await sdk.agents.create({ name: 'Suggested', instructions: procedure('One') })
    await page.goto(`${service.baseUrl}/agents/${agent_id}?tab=suggestions`)
    await page.getByText('Nothing is suggested').waitFor()
    await page.getByRole('spinbutton', { name: 'Failed runs' }).fill('2')
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByRole('button', { name: 'Switch off' }).waitFor()
    assert.equal((await sdk.suggestions.getSettings(agent_id)).suggestion_settings.failures, 2)
    // only a model writes them, and there is none here
    const client = new Client({ connectionString: databaseOf(service.dataDir) })
    await client.connect()
    for (const label of ['Ended by itself', 'Limits were kept']) {
      const config = { version: 'v2' as const, data: { input: procedure(label) } }
      const { build } = await sdk.agents.createRevision(agent_id, { config })
      await client.query(
        `with builder as (
          insert into builder_runs (id, team_id, agent_id, build_id, status, model, prompt, checkpoint_config)
          select new_id(), team_id, agent_id, id, 'completed', 'builtin:runbook', '', config from builds where id = $1 returning *),
        made as (
          insert into suggestions (id, team_id, agent_id, flag, label, failed_runs, of_runs, base_build_id, draft_build_id, builder_run_id, state,
            config_hash, replay_runs, replay_problem)
          select new_id(), w.team_id, w.agent_id, $2, $2, 2, 5, b.id, w.build_id, w.id, 'open', $3, 10, 'There was nothing to replay.'
          from builder w join builds b on b.agent_id = w.agent_id and b.status = 'live' returning *)
        insert into suggestion_runs (suggestion_id, team_id, run_id, run_number, run_title, run_ended_at, comment)
        select id, team_id, new_id(), 4711, 'Check invoice', now(), 'The run failed: no reason is known.' from made`,
        [build.id, label, canonicalHash(build.config)],
      )
    }
    await client.end()
    await page.reload()
    await page.getByRole('button', { name: 'Limits were kept' }).click()
    await page.getByText('The run failed: no reason is known.').waitFor()
    await page.getByText('Not replayed: There was nothing to replay.').waitFor()
    assert.deepEqual(await axe(page), [])
    await page.getByRole('button', { name: 'Reject…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Why' }).fill('Not now')
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await page.getByText('rejected', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Ended by itself' }).click()
    await page.getByRole('button', { name: 'Accept and promote' }).click()
    await page.getByText('accepted', { exact: true }).waitFor()
  }),
)

proves(
  'console.triggers',
  'a person makes a webhook, copies its URL, sees what became of what was sent, and replays it',
  needsLongConsole,
  story(async ({ page, sdk, service, open }) => {
    const config = { version: 'v2', data: { input: step('output', '{{ message }}') } } as const
    const { agent_id } = await sdk.agents.create({ name: 'Order desk', build: { config } })
    const path = `/agents/${agent_id}?tab=triggers`
    await page.goto(service.baseUrl + path)
    await page.getByText('Nothing from outside starts it').waitFor()
    await page.getByRole('button', { name: 'New trigger' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('New orders')
    await dialog.getByRole('combobox', { name: 'The sender proves itself by' }).selectOption('secret')
    assert.equal(await dialog.getByRole('button', { name: 'Make' }).getAttribute('aria-disabled'), 'true')
    await dialog.getByLabel('Secret').fill('a secret of the shop')
    await dialog.getByRole('textbox', { name: 'Message' }).fill('Order {{ body.id }}')
    await dialog.getByRole('textbox', { name: 'Key' }).fill('body.id')
    await dialog.getByRole('button', { name: 'Make' }).click()
    await dialog.getByText('Senders post to this URL:').waitFor()
    assert.deepEqual(await axe(page), [])
    const url = await dialog.getByRole('button', { name: /^Copy URL/ }).innerText()
    assert.match(url, /\/in\/[a-z0-9]{48}$/)
    await page.keyboard.press('Escape')

    const post = (secret: string) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-webhook-secret': secret },
        body: JSON.stringify({ id: 'o-1' }),
      })
    assert.deepEqual([(await post('wrong')).status, (await post('a secret of the shop')).status], [401, 202])
    assert.equal((await post('a secret of the shop')).status, 202)
    await page.getByRole('button', { name: 'New orders', exact: true }).click()
    const list = page.getByRole('region', { name: 'Deliveries to New orders' })
    await list.getByText('started', { exact: true }).nth(1).waitFor()
    await list.getByRole('cell', { name: 'repeated' }).waitFor()
    assert.equal(await list.getByRole('button', { name: 'Replay' }).count(), 2)
    await list.getByRole('button', { name: 'Replay' }).last().click()
    await list.getByText('replay', { exact: true }).waitFor()
    const { data: runs } = await sdk.runs.list({ agent_id, source: 'trigger' }).page()
    assert.ok(runs.length >= 1 && runs.every(({ title }) => title === 'Order o-1'))

    for (const window of [
      page,
      await open({ path: new URL(page.url()).pathname + new URL(page.url()).search, theme: 'dark' }),
    ]) {
      await window
        .getByRole('region', { name: 'Deliveries to New orders' })
        .getByText('replay', { exact: true })
        .waitFor()
      assert.deepEqual(await axe(window), [])
    }
    const phone = await open({ path, size: { width: 390, height: 844 } })
    await phone.getByRole('button', { name: 'New orders', exact: true }).waitFor()
    assert.equal(await phone.evaluate('document.documentElement.scrollWidth'), 390)
  }),
)
