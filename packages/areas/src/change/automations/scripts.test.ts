import { randomUUID } from 'node:crypto'
import { inTransaction } from '@muster/db/transaction.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { person, world } from '@muster/testkit/world.ts'
import { RunScript } from '@muster/wire/commands/scripts.ts'
import { isFor, readGrant, workOf } from '@muster/wire/grants.ts'
import { describe, expect, it } from 'vitest'
import { approvals } from '../../control/commands/approvals/approvals.contract.ts'
import { commandReports } from '../../control/commands/results/commands.records.ts'
import { executions } from '../scripts/executions/executions.contract.ts'
import { scripts } from '../scripts/scripts.contract.ts'
import { automations } from './automations.contract.ts'
import { runs } from './runs/runs.contract.ts'
import { moveAll } from './testing/move-all.ts'

const { system } = await testServices()
const parts = await testWorkerParts()
const here = await world()
const { org, partner, partnerAdmin, orgAdmin } = here
const orgId = org.id
const [one = '', two = ''] = await enrolled(partnerAdmin, { orgId }, 'act-one', 'act-two')

const script = (more: object = {}, by = partnerAdmin) =>
  call(by, scripts.create, { orgId, name: `S ${randomUUID()}`, language: 'bash', content: 'df -h', ...more })
const made = (action: { scriptId: string; [more: string]: unknown }, more: object = {}, by = partnerAdmin) =>
  call(by, automations.create, {
    ...{ orgId, name: `A ${randomUUID()}`, trigger: { type: 'manual' } },
    actions: [{ type: 'run_script', ...action }],
    ...more,
  })

async function started(id: string, deviceIds = [one]) {
  const run = await call(partnerAdmin, runs.run, { id, deviceIds })
  await moveAll(parts, partner.id)
  return call(partnerAdmin, runs.get, { runId: run.id })
}
const again = (runId: string) => call(partnerAdmin, runs.get, { runId })
type Run = Awaited<ReturnType<typeof started>>
const taskOf = ({ steps }: Run, deviceId = one) => steps[0]?.devices.find((task) => task.deviceId === deviceId)

interface Sent {
  payload: unknown
  timeoutMs: number
  scriptGrant: string
  expiresAt: string
  createdBy: string
}
async function sentTo(run: Run, deviceId = one) {
  const { rows } = await system.query<Sent>(
    `SELECT payload, timeout_ms AS "timeoutMs", script_grant AS "scriptGrant", expires_at AS "expiresAt", created_by AS "createdBy"
     FROM device_commands WHERE id = $1`,
    [taskOf(run, deviceId)?.commandId],
  )
  const [found] = rows
  if (found === undefined) throw new Error('a command was sent')
  return { ...found, payload: RunScript.parse(found.payload) }
}
/** Ends the script as its device reports. */
async function ended(run: Run, exitCode: number, deviceId = one) {
  const commandId = taskOf(run, deviceId)?.commandId ?? ''
  const status = exitCode === 0 ? ('completed' as const) : ('failed' as const)
  const body = { commandId, status, exitCode, stdout: '', durationMs: 5 }
  await inTransaction(system, (client) =>
    commandReports.store(client, [{ name: 'result', deviceId, atMs: Date.now(), body }], parts),
  )
  await moveAll(parts, partner.id)
  return again(run.id)
}

describe('the action run_script', () => {
  it('runs the version that was approved when the automation was enabled, with a grant for exactly it', async () => {
    const { id: scriptId, versionId } = await script()
    const { id, scripts: fixed } = await made({ scriptId })
    expect(fixed).toEqual([{ number: 1, scriptId, versionId, version: 1, updateAvailable: false }])
    await call(partnerAdmin, scripts.update, { id: scriptId, content: 'rm -rf /tmp/x' })
    expect((await call(partnerAdmin, automations.get, { id })).scripts).toMatchObject([
      { version: 1, updateAvailable: true },
    ])
    const run = await started(id)
    const { payload, timeoutMs, scriptGrant, createdBy } = await sentTo(run)
    expect(payload.script).toBe('df -h')
    expect(createdBy).toBe(partnerAdmin.userId)
    const claims = readGrant(scriptGrant)?.claims
    expect(claims).toMatchObject({ by: partnerAdmin.userId, origin: { kind: 'automation', id } })
    expect(claims !== undefined && isFor(claims, workOf(payload, timeoutMs))).toBe(true)
    expect(await ended(run, 0)).toMatchObject({ status: 'completed', devices: { succeeded: 1 } })
    const { data } = await call(partnerAdmin, executions.list, { id: scriptId })
    expect(data).toMatchObject([{ version: 1, deviceId: one, severity: 'success' }])

    const edited = await call(partnerAdmin, automations.update, {
      id,
      actions: [{ type: 'run_script', scriptId }],
    })
    expect(edited.scripts).toMatchObject([{ version: 2, updateAvailable: false }])
    expect((await sentTo(await started(id))).payload.script).toBe('rm -rf /tmp/x')
  })

  it('gives parameters as variables: literals, fields of the device and templates over what started the run', async () => {
    const parameters = [
      { name: 'path', type: 'text', required: true },
      { name: 'host', type: 'text' },
      { name: 'word', type: 'text', pattern: '[a-z-]+' },
    ]
    const { id: scriptId } = await script({ parameters })
    const given = { path: '/srv', host: { field: 'hostname' }, word: 'for-{{ device.hostname }}' }
    const { id } = await made({ scriptId, parameters: given })
    const run = await started(id, [one, two])
    const first = await sentTo(run)
    expect(first.payload.env).toEqual({ PARAM_PATH: '/srv', PARAM_HOST: 'act-one', PARAM_WORD: 'for-act-one' })
    expect((await sentTo(run, two)).payload.env).toMatchObject({ PARAM_WORD: 'for-act-two' })
    const claims = readGrant(first.scriptGrant)?.claims
    expect(claims?.perDevice).toEqual(['PARAM_HOST', 'PARAM_WORD'])
    const open = claims?.perDevice ?? []
    expect(claims !== undefined && isFor(claims, workOf(first.payload, first.timeoutMs, open))).toBe(true)
    const { data } = await call(partnerAdmin, executions.list, { id: scriptId, deviceId: two })
    expect(data[0]?.parameters).toEqual({ path: '/srv', host: { field: 'hostname' }, word: 'for-act-two' })

    const wrong = await made({ scriptId, parameters: { ...given, word: 'UP {{ device.hostname }}' } })
    expect(taskOf(await started(wrong.id))).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('parameters.word: must match the pattern'),
    })
    const absent = await made({ scriptId, parameters: { ...given, word: '{{ event.word }}' } })
    expect(taskOf(await started(absent.id))).toMatchObject({ status: 'failed' })
  })

  it('succeeds and fails by the severity of the script, and is tried again', async () => {
    const { id: scriptId } = await script({ exitCodes: { 3: 'warning', 4: 'error' } })
    const { id } = await made({ scriptId, retries: 1, retryDelaySeconds: 0 })
    const run = await ended(await started(id), 4)
    expect(taskOf(run)).toMatchObject({ status: 'running', attempt: 2 })
    expect(await ended(run, 3)).toMatchObject({ status: 'completed' })
    const { id: bad } = await made({ scriptId })
    const failed = await ended(await started(bad), 4)
    expect(failed).toMatchObject({ status: 'failed', reason: 'step_failed' })
    expect(taskOf(failed)?.error).toBe('The script ended: error, exit code 4')
  })

  it('waits as long as waitSeconds says, and not at all for 0', async () => {
    const { id: scriptId } = await script()
    const { id } = await made({ scriptId, waitSeconds: 0 })
    const sent = await started(id)
    expect(sent).toMatchObject({ status: 'completed' })
    expect(taskOf(sent)?.commandId).not.toBeNull()
    const { id: waiting } = await made({ scriptId, waitSeconds: 60 })
    const run = await started(waiting)
    expect(run.status).toBe('running')
    const { expiresAt } = await sentTo(run)
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 60_000)
    await system.query(`UPDATE automation_step_devices SET due_at = now() WHERE run_id = $1`, [run.id])
    await system.query(`UPDATE automation_runs SET due_at = now() WHERE id = $1`, [run.id])
    await moveAll(parts, partner.id)
    expect(taskOf(await again(run.id))).toMatchObject({ status: 'failed', error: 'The script did not end in time' })
  })

  it('skips devices of another system', async () => {
    const { id: scriptId } = await script({ osTypes: ['windows'] })
    await system.query(`UPDATE devices SET os_type = 'linux' WHERE id = $1`, [one])
    const { id } = await made({ scriptId })
    expect(taskOf(await started(id))).toMatchObject({ status: 'skipped', error: 'unsupported_platform' })
  })

  it('does not run what was altered in the database, nor what was allowed before an edit', async () => {
    const { id: scriptId } = await script()
    const { id } = await made({ scriptId })
    await system.query(
      `UPDATE automation_works SET work = jsonb_set(work, '{payload,script}', '"id"') WHERE automation_id = $1`,
      [id],
    )
    expect(taskOf(await started(id))).toMatchObject({ status: 'failed', error: 'no_grant' })
    const wait = { type: 'wait' as const, seconds: 600 }
    const { id: edited } = await made({ scriptId }, { actions: [wait, { type: 'run_script', scriptId }] })
    const run = await started(edited)
    await call(partnerAdmin, scripts.update, { id: scriptId, content: 'uptime' })
    await call(partnerAdmin, automations.update, { id: edited, actions: [wait, { type: 'run_script', scriptId }] })
    await system.query(`UPDATE automation_step_devices SET due_at = now() WHERE run_id = $1`, [run.id])
    await system.query(`UPDATE automation_runs SET due_at = now() WHERE id = $1`, [run.id])
    await moveAll(parts, partner.id)
    expect((await again(run.id)).steps[1]?.devices[0]).toMatchObject({
      error: 'The automation was changed after the run had begun',
    })
  })

  it('holds no grant while the automation is disabled', async () => {
    const { id: scriptId } = await script()
    const { id } = await made({ scriptId }, { enabled: false })
    const grants = async () => (await system.query('SELECT FROM plan_grants WHERE plan_id = $1', [id])).rowCount
    expect(await grants()).toBe(0)
    await call(partnerAdmin, automations.update, { id, enabled: true })
    expect(await grants()).toBe(1)
    await call(partnerAdmin, automations.update, { id, enabled: false })
    expect(await grants()).toBe(0)
  })
})

describe('the script of an automation', () => {
  it('is not deleted, and says by which automation it is used', async () => {
    const { id: scriptId } = await script()
    const { id, name } = await made({ scriptId })
    const usedBy = [{ kind: 'automation', id, name }]
    expect((await call(partnerAdmin, scripts.get, { id: scriptId })).usedBy).toEqual(usedBy)
    expect(await refusal(call(partnerAdmin, scripts.remove, { id: scriptId }))).toMatchObject({
      ...{ status: 409, extra: { usedBy } },
    })
    await call(partnerAdmin, automations.update, { id, actions: [{ type: 'add_tag', tag: 'x' }] })
    await call(partnerAdmin, scripts.remove, { id: scriptId })
    expect(await refusal(made({ scriptId }))).toMatchObject({
      ...{ status: 400, message: 'actions.0.scriptId: does not exist' },
    })
  })

  it('and an automation that begins to use it have one winner', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const { id: scriptId } = await script()
      const [removed, used] = await Promise.allSettled([
        call(partnerAdmin, scripts.remove, { id: scriptId }),
        made({ scriptId }),
      ])
      expect([removed.status, used.status].sort()).toEqual(['fulfilled', 'rejected'])
    }
  })

  it('is one of the organization or of the partner, which organizations need to share', async () => {
    const elsewhere = await world()
    const { id: foreign } = await script({ orgId: elsewhere.org.id }, elsewhere.partnerAdmin)
    const beside = await script({ orgId: here.otherOrg.id })
    const { id: partnerWide } = await script({ orgId: null })
    const { id: shared } = await script({ orgId: null, sharedWithOrganizations: true })
    for (const scriptId of [foreign, randomUUID(), beside.id])
      expect(await refusal(made({ scriptId }))).toMatchObject({
        ...{ status: 400, message: expect.stringMatching(/^actions\.0/) },
      })
    expect(await refusal(made({ scriptId: beside.id }, { orgId: null }))).toMatchObject({ status: 400 })
    expect(await refusal(made({ scriptId: partnerWide }, {}, orgAdmin))).toMatchObject({ status: 400 })
    expect(await made({ scriptId: shared }, {}, orgAdmin)).toMatchObject({
      status: 'enabled',
      scripts: [{ version: 1 }],
    })
    expect(await made({ scriptId: partnerWide })).toMatchObject({ status: 'enabled' })
  })

  it('takes parameters that fit, and the permission to run scripts', async () => {
    const { id: scriptId } = await script({ parameters: [{ name: 'n', type: 'number', required: true }] })
    for (const parameters of [undefined, { n: 'x' }, { n: '{{ event.x }}' }, { n: 1, other: 2 }])
      expect(await refusal(made({ scriptId, parameters }))).toMatchObject({
        ...{ status: 400, message: expect.stringMatching(/^actions\.0\.parameters\.(n|other)/) },
      })
    const viewer = await person({ scope: 'partner', partnerId: partner.id }, { role: 'Partner Viewer' })
    expect(await refusal(made({ scriptId, parameters: { n: 1 } }, {}, viewer))).toMatchObject({ status: 403 })
  })

  it('is signed when a second person approves: second-person-everywhere', async () => {
    const place = await world()
    const second = await person({ scope: 'partner', partnerId: place.partner.id }, { role: 'Partner Admin' })
    const { id: scriptId } = await script({ orgId: place.org.id }, place.partnerAdmin)
    await call(place.partnerAdmin, approvals.require, { required: true })
    const more = { orgId: place.org.id, maxDevicesPerRun: 500 }
    const { id, status, approval } = await made({ scriptId }, more, place.partnerAdmin)
    expect(status).toBe('awaiting_approval')
    const grants = async () => (await system.query('SELECT FROM plan_grants WHERE plan_id = $1', [id])).rowCount
    expect(await grants()).toBe(0)
    const { hash } = await call(second, approvals.get, { id: approval?.id ?? '' })
    await call(second, approvals.approve, { id: approval?.id ?? '', hash })
    expect(await grants()).toBe(1)
    expect(await call(place.partnerAdmin, automations.get, { id })).toMatchObject({ status: 'enabled' })
  })
})
