import { randomUUID } from 'node:crypto'
import { inTransaction } from '@muster/db/transaction.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { person, world } from '@muster/testkit/world.ts'
import { RunScript } from '@muster/wire/commands/scripts.ts'
import { isFor, readGrant, workOf } from '@muster/wire/grants.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { approvals } from '../../../control/commands/approvals/approvals.contract.ts'
import { commands } from '../../../control/commands/commands.contract.ts'
import { commandReports } from '../../../control/commands/results/commands.records.ts'
import { customFields } from '../../../fleet/custom-fields/custom-fields.contract.ts'
import { publishEvents } from '../../../platform/live-events/index.ts'
import { alerts } from '../../../watch/alerts/alerts.contract.ts'
import { versions } from '../../script-library/versions.contract.ts'
import { scripts } from '../scripts.contract.ts'
import { executions } from './executions.contract.ts'

const { redis, system } = await testServices()
const parts = await testWorkerParts()
const here = await world()
const orgId = here.org.id
const [one = '', two = ''] = await enrolled(here.partnerAdmin, { orgId }, 'run-one', 'run-two')

const script = (more: object = {}) =>
  call(here.orgAdmin, scripts.create, { orgId, name: 'Disk', language: 'bash', content: 'df -h', ...more })
const execute = (id: string, more: object = {}) =>
  call(here.orgAdmin, executions.execute, { id, deviceIds: [one], ...more })
const payloadOf = async (commandId: string) =>
  (await system.query('SELECT payload FROM device_commands WHERE id = $1', [commandId])).rows[0]?.payload

/** The claims of the grant that a command carries. */
async function claimsOf(commandId: string) {
  const { rows } = await system.query('SELECT script_grant FROM device_commands WHERE id = $1', [commandId])
  return readGrant(rows[0]?.script_grant)?.claims
}

/** What the worker stores when a device reports the end of a command. */
async function reported(execution: { commandId: string; deviceId: string } | undefined, result: object) {
  const { commandId = '', deviceId = '' } = execution ?? {}
  const body = { commandId, status: 'completed' as const, exitCode: 0, stdout: '', durationMs: 5, ...result }
  const record = { name: 'result' as const, deviceId, atMs: Date.now(), body }
  const { events = [] } = await inTransaction(parts.pool, (client) => commandReports.store(client, [record], parts))
  await publishEvents(redis, events)
}

describe('the run of a script', () => {
  it('sends the approved version with its parameters in the environment', async () => {
    const made = await script({
      ...{ args: ['-v'], timeoutSeconds: 7 },
      parameters: [
        { name: 'path', type: 'text', required: true },
        { name: 'deep', type: 'boolean', default: true },
        { name: 'limit', type: 'number' },
      ],
    })
    const parameters = { path: '/var' }
    const answer = await execute(made.id, { deviceIds: [one, two], parameters })
    expect(answer).toMatchObject({ skipped: [], failed: [], approval: null, batchId: expect.any(String) })
    expect(answer.executions.map(({ hostname }) => hostname).sort()).toEqual(['run-one', 'run-two'])
    const [first] = answer.executions
    expect(first).toMatchObject({
      ...{ scriptId: made.id, versionId: made.versionId, version: 1, sha256: made.sha256, status: 'pending' },
      ...{ severity: null, parameters: { path: '/var', deep: true }, createdBy: here.orgAdmin.userId },
    })
    const env = { PARAM_PATH: '/var', PARAM_DEEP: 'true' }
    expect(await payloadOf(first?.commandId ?? '')).toMatchObject({ script: 'df -h', args: ['-v'], env })
    const command = await call(here.orgAdmin, commands.get, {
      id: first?.deviceId ?? '',
      commandId: first?.commandId ?? '',
    })
    expect(command).toMatchObject({ timeoutMs: 7_000, batchId: answer.batchId })
  })

  it('names what it ran after the script has changed', async () => {
    const made = await script()
    const { executions: ran } = await execute(made.id)
    await call(here.orgAdmin, scripts.update, { id: made.id, content: 'df -i' })
    const found = await call(here.orgAdmin, executions.get, { id: ran[0]?.id ?? '' })
    expect(found).toMatchObject({ version: 1, versionId: made.versionId, sha256: made.sha256 })
    const earlier = await execute(made.id, { versionId: made.versionId, args: ['x'], timeoutSeconds: 9 })
    expect(await payloadOf(earlier.executions[0]?.commandId ?? '')).toMatchObject({ script: 'df -h', args: ['x'] })
    expect(await refusal(execute(made.id, { versionId: randomUUID() }))).toMatchObject({ status: 404 })
  })

  it('takes fields of each device', async () => {
    await call(here.orgAdmin, customFields.create, { orgId, key: 'rack', type: 'number', label: 'Rack' })
    await call(here.orgAdmin, customFields.setValues, { id: one, values: { rack: 12 } })
    const made = await script({
      parameters: [
        { name: 'host', type: 'text', default: { field: 'hostname' } },
        { name: 'rack', type: 'number', required: true },
      ],
    })
    const parameters = { rack: { field: 'custom.rack' } }
    const { executions: ran, failed } = await execute(made.id, { deviceIds: [one, two], parameters })
    expect(failed).toEqual([
      { deviceId: two, code: 'VALIDATION_ERROR', message: 'parameters.rack: the device has no custom.rack' },
    ])
    expect(ran).toMatchObject([{ deviceId: one, parameters: { host: { field: 'hostname' }, ...parameters } }])
    const env = { PARAM_HOST: 'run-one', PARAM_RACK: '12' }
    const payload = await payloadOf(ran[0]?.commandId ?? '')
    expect(payload).toMatchObject({ env, script: 'df -h' })
    const claims = await claimsOf(ran[0]?.commandId ?? '')
    expect(claims && isFor(claims, workOf(RunScript.parse(payload), 300_000))).toBe(true)
    expect(claims?.scope.deviceIds).toEqual([one])
  })

  it.each([
    ['a parameter that the script does not have', { other: 1 }, 'parameters.other: the script has no such parameter'],
    ['a missing parameter', {}, 'parameters.count: is required'],
    ['a value of another type', { count: 'many' }, 'parameters.count: must be a number'],
    ['an unknown field', { count: { field: 'password' } }, 'parameters.count: must be a field of devices'],
  ])('is refused with %s', async (_words, parameters, message) => {
    const { id } = await script({ parameters: [{ name: 'count', type: 'number', required: true }] })
    expect(await refusal(execute(id, { parameters }))).toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    })
  })

  it('skips devices of other systems, and is refused when it skips all', async () => {
    const { id } = await script({ osTypes: ['windows'] })
    expect(await refusal(execute(id))).toMatchObject({
      status: 409,
      extra: { skipped: [{ deviceId: one, reason: 'unsupported_platform' }] },
    })
    const absent = randomUUID()
    const { failed } = await execute((await script()).id, { deviceIds: [one, absent] })
    expect(failed).toMatchObject([{ deviceId: absent, code: 'NOT_FOUND' }])
  })

  it('can be previewed, and sends nothing then', async () => {
    const { id } = await script({ osTypes: ['linux'], parameters: [{ name: 'path', type: 'text', required: true }] })
    const absent = randomUUID()
    const seen = await call(here.orgAdmin, executions.preview, {
      ...{ id, deviceIds: [one, two, absent] },
      parameters: { path: '/' },
    })
    expect(seen).toEqual({
      ...{ devices: 2, organizations: 1, skipped: [] },
      failed: [{ deviceId: absent, code: 'NOT_FOUND', message: 'Device not found' }],
    })
    const other = await script({ osTypes: ['macos'] })
    const none = await call(here.orgAdmin, executions.preview, { id: other.id, orgIds: [orgId] })
    expect(none).toMatchObject({ devices: 0, skipped: [{ reason: 'unsupported_platform' }] })
    const wrong = call(here.orgAdmin, executions.preview, { id, deviceIds: [one] })
    expect(await refusal(wrong)).toMatchObject({ status: 400, message: 'parameters.path: is required' })
    expect((await call(here.orgAdmin, executions.list, { id })).data).toEqual([])
  })

  it('takes place once for each idempotency key', async () => {
    const { id } = await script({ parameters: [{ name: 'host', type: 'text', default: { field: 'hostname' } }] })
    const idempotencyKey = randomUUID()
    const first = await execute(id, { idempotencyKey })
    const again = await execute(id, { idempotencyKey })
    expect(again.executions.map((each) => each.id)).toEqual(first.executions.map((each) => each.id))
    const other = execute((await script({ content: 'id' })).id, { idempotencyKey })
    expect(await refusal(other)).toMatchObject({ status: 409 })
  })

  it('answers at its end when the request waits for one device', async () => {
    const { id } = await script()
    const waiting = execute(id, { waitMs: 20_000 })
    await expect
      .poll(async () => (await call(here.orgAdmin, executions.list, { id })).data, { timeout: 10_000 })
      .toHaveLength(1)
    const [run] = (await call(here.orgAdmin, executions.list, { id })).data
    await reported(run, { stdout: 'half full' })
    expect(await refusal(execute(id, { waitMs: 1_000, deviceIds: [one, two] }))).toMatchObject({ status: 400 })
    expect((await waiting).executions).toMatchObject([{ status: 'completed', stdout: 'half full' }])
  })

  it('is of the caller who may run scripts, on devices within reach', async () => {
    const { id } = await script()
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId } as const
    const viewer = await person(tenant, { role: 'Org Viewer' })
    const denied = call(viewer, executions.execute, { id, deviceIds: [one] })
    expect(await refusal(denied)).toMatchObject({ status: 403 })
    const { executions: ran } = await execute(id)
    await reported(ran[0], { stdout: 'secret words' })
    const seen = await call(viewer, executions.get, { id: ran[0]?.id ?? '' })
    expect(seen).toMatchObject({ status: 'completed', stdout: null })
    const stranger = await world()
    const foreign = call(stranger.orgAdmin, executions.get, { id: ran[0]?.id ?? '' })
    expect(await refusal(foreign)).toMatchObject({ status: 404 })
  })

  it('of a shared script of the partner takes place in an organization', async () => {
    const wide = await call(here.partnerAdmin, scripts.create, {
      ...{ name: 'Wide', language: 'bash', content: 'id' },
      sharedWithOrganizations: true,
    })
    const { executions: ran } = await execute(wide.id)
    expect(ran).toMatchObject([{ scriptName: 'Wide', orgId, deviceId: one }])
  })
})

describe('the end of a run', () => {
  it('has the severity of its exit code, and opens and clears an alert', async () => {
    const { id } = await script({ name: 'Watch', exitCodes: { 1: 'info', 2: 'warning', '*': 'critical' } })
    const runs = async (result: object) => {
      const { executions: ran } = await execute(id)
      await reported(ran[0], result)
      const found = await call(here.orgAdmin, executions.get, { id: ran[0]?.id ?? '' })
      return found.severity
    }
    const open = async () =>
      (await call(here.orgAdmin, alerts.list, { source: ['script'], deviceId: one })).data
        .filter(({ status, title }) => status === 'active' && title.startsWith('Watch'))
        .map(({ severity, title }) => [severity, title])
    expect(await runs({ status: 'failed', exitCode: 2 })).toBe('warning')
    expect(await open()).toEqual([['medium', 'Watch: warning']])
    expect(await runs({ status: 'failed', exitCode: 1 })).toBe('info')
    expect(await open()).toHaveLength(1)
    expect(await runs({})).toBe('success')
    expect(await open()).toEqual([])
    expect(await runs({ status: 'failed', exitCode: 9 })).toBe('critical')
    expect(await runs({ status: 'timed_out', exitCode: undefined })).toBe('error')
  })

  it('shows which custom fields the output set', async () => {
    const field = { orgId, key: 'level', type: 'number' as const, label: 'Level', scriptWritable: true }
    await call(here.orgAdmin, customFields.create, field)
    const { executions: ran } = await execute((await script()).id)
    await reported(ran[0], { stdout: '::muster-field level=3\n::muster-field other=1\n' })
    expect(await call(here.orgAdmin, executions.get, { id: ran[0]?.id ?? '' })).toMatchObject({
      customFields: { set: { level: 3 }, refused: [{ field: 'other', reason: 'there is no such field' }] },
    })
  })

  it('is found by status, severity and device', async () => {
    const { id } = await script()
    const { executions: ran } = await execute(id, { deviceIds: [one, two] })
    await reported(
      ran.find(({ deviceId }) => deviceId === one),
      { status: 'failed', exitCode: 4 },
    )
    const found = async (filter: object) =>
      (await call(here.orgAdmin, executions.list, { id, ...filter })).data.map(({ deviceId }) => deviceId)
    expect(await found({ status: ['failed'] })).toEqual([one])
    expect(await found({ severity: ['error'] })).toEqual([one])
    expect(await found({ deviceId: two, status: ['pending'] })).toEqual([two])
    expect(await found({ severity: ['success'] })).toEqual([])
  })
})

describe('a canceled run', () => {
  it('ends without a severity, and frees its script for deletion', async () => {
    const { id } = await script()
    const { executions: ran } = await execute(id)
    const run = ran[0]?.id ?? ''
    expect(await refusal(call(here.orgAdmin, scripts.remove, { id }))).toMatchObject({
      status: 409,
      extra: { usedBy: [{ kind: 'execution', id: run, name: 'run-one' }] },
    })
    expect(await call(here.orgAdmin, executions.cancel, { id: run })).toMatchObject({
      ...{ status: 'cancelled', severity: null },
    })
    expect(await refusal(call(here.orgAdmin, executions.cancel, { id: run }))).toMatchObject({ status: 409 })
    await call(here.orgAdmin, scripts.remove, { id })
    expect(await call(here.orgAdmin, executions.get, { id: run })).toMatchObject({ scriptId: id })
  })
})

describe('a run that needs a second person', () => {
  let partnerScript: string
  let deviceIds: string[]
  beforeAll(async () => {
    const [far = ''] = await enrolled(here.partnerAdmin, { orgId: here.otherOrg.id }, 'run-far')
    deviceIds = [one, far]
    const parameters = [{ name: 'host', type: 'text' as const, default: { field: 'hostname' } }]
    const given = { name: 'Far', language: 'bash' as const, content: 'id', parameters }
    partnerScript = (await call(here.partnerAdmin, scripts.create, given)).id
    await call(here.partnerAdmin, approvals.require, { required: true })
  })

  it('waits for the approval, which is bound to the script and its version', async () => {
    const asked = await call(here.partnerAdmin, executions.execute, { id: partnerScript, deviceIds })
    expect(asked).toMatchObject({ executions: [], batchId: null, approval: { subject: { id: partnerScript } } })
    const id = asked.approval?.id ?? ''
    const { hash } = await call(here.partnerAdmin, approvals.get, { id })
    const [record] = await auditOf(id)
    expect(record).toMatchObject({
      action: 'device.command.request',
      details: { subject: { kind: 'script', version: 1 } },
    })
    await call(here.partnerAdmin, versions.create, { id: partnerScript, content: 'whoami' })
    const second = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' })
    await call(second, approvals.approve, { id, hash })
    const { data } = await call(here.partnerAdmin, executions.list, { id: partnerScript })
    expect(data.map(({ hostname }) => hostname).sort()).toEqual(['run-far', 'run-one'])
    for (const { commandId, hostname, version, createdBy } of data) {
      expect([version, createdBy]).toEqual([1, here.partnerAdmin.userId])
      expect(await payloadOf(commandId)).toMatchObject({ script: 'id', env: { PARAM_HOST: hostname } })
    }
  })

  it('is not approved when its variables were changed in the database', async () => {
    const asked = await call(here.partnerAdmin, executions.execute, { id: partnerScript, deviceIds })
    const id = asked.approval?.id ?? ''
    const { hash } = await call(here.partnerAdmin, approvals.get, { id })
    await system.query(`UPDATE command_approvals SET device_env = '{}' WHERE id = $1`, [id])
    const second = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' })
    await expect(call(second, approvals.approve, { id, hash })).rejects.toThrow()
  })
})
