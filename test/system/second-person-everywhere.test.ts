// Each way to start work on many machines waits for a second person where the partner requires one. All processes are real.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResponseBody } from '@muster/testkit/response-body.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { Fleet } from './fleet.ts'
import { Member } from './member.ts'

const scopes = [
  ...['devices:read', 'devices:write', 'devices:execute'],
  ...['scripts:read', 'scripts:execute', 'automations:read', 'automations:write'],
]
const laterMs = 3_600_000

describe('work above the limit waits for a second person', () => {
  let fleet: Fleet
  let folder: string
  let asker: Member
  let approvers: [Member, Member]
  let key: Member
  let deviceIds: string[]

  const marker = (name: string) => join(folder, name)
  const ranOn = async (name: string): Promise<number> =>
    (await readFile(marker(name), 'utf8').catch(() => '')).split('\n').length - 1
  const ranOnBoth = (name: string) => eventually(async () => (await ranOn(name)) === 2)
  /** A script of the partner, which notes that it ran. Until `healed` is there, it fails. */
  const script = async (name: string, { isFaulty = false } = {}): Promise<string> => {
    const note = `echo ran >> ${marker(name)}`
    const content = isFaulty ? `[ -e ${marker('healed')} ] || exit 1; ${note}` : note
    return (await fleet.must('POST', '/scripts', { ...owned(), name, language: 'sh', content })).id
  }
  const scripts = new Map<string, string>()
  let partnerId: string
  const owned = () => ({ partnerId })

  /** A deployment of a script to all machines at once, ready to start. */
  const deployment = async (name: string, more: object = {}): Promise<string> => {
    const strategy = { batches: [{ percent: 100 }], soakSeconds: 0, successPercent: 0, maxErrors: { percent: 100 } }
    const order = { kind: 'script', scriptId: scripts.get(name) }
    const { id } = await asker.must('POST', '/deployments', { name, order, targets: { deviceIds }, strategy, ...more })
    await asker.must('POST', `/deployments/${id}/initialize`)
    return id
  }
  const stateOf = async (path: string): Promise<string> => (await asker.must('GET', path)).status

  /** The request of the second person, which stands in the list with what it is for. */
  async function requested(answer: ResponseBody, subject: object | null): Promise<ResponseBody> {
    expect(answer.approval).toMatchObject({ status: 'pending' })
    const { data } = await approvers[0].must('GET', '/commands/approvals?status=pending')
    const listed = data.find((each: { id: string }) => each.id === answer.approval.id)
    if (subject === null) expect(listed.subject).toBeNull()
    else expect(listed.subject).toMatchObject(subject)
    return approvers[0].must('GET', `/commands/approvals/${answer.approval.id}`)
  }

  /** Approves as those do who may not, then as two people at the same time: one of them starts it. */
  async function decided({ id, hash }: ResponseBody): Promise<void> {
    const approve = (who: Member, given = hash) =>
      who.rest('POST', `/commands/approvals/${id}/approve`, { hash: given })
    for (const who of [asker, key]) expect((await approve(who)).status).toBe(403)
    expect((await approve(approvers[0], 'another')).status).toBe(409)
    const both = await Promise.all(approvers.map((who) => approve(who)))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  }

  beforeAll(async () => {
    fleet = await Fleet.start()
    folder = await fleet.folder()
    const { partner, org, key: enrollmentKey } = await fleet.tenant()
    partnerId = partner.id
    const place = { partnerId, name: 'Branch', slug: `branch-${partnerId.slice(0, 8)}` }
    const branch = await fleet.must('POST', '/orgs/organizations', place)
    const other = await fleet.must('POST', '/enrollment-keys', { orgId: branch.id, name: 'Branch', maxUsage: null })
    await fleet.agent('agent-org', enrollmentKey)
    await fleet.agent('agent-branch', other.key)
    const online = (orgId: string) => fleet.device(orgId, ({ status }) => status === 'online')
    deviceIds = (await Promise.all([org.id, branch.id].map(online))).map(({ id }) => id)
    asker = await Member.join(fleet, partnerId)
    approvers = [await Member.join(fleet, partnerId), await Member.join(fleet, partnerId)]
    key = await asker.withKey(scopes)
    // Before it is required, because a second person approves new versions too.
    for (const name of ['execute', 'later', 'start', 'resume']) scripts.set(name, await script(name))
    scripts.set('retry', await script('retry', { isFaulty: true }))
    await asker.must('PUT', '/commands/second-person', { required: true })
  })
  afterAll(() => fleet?.stop())

  it('as the run of a script', async () => {
    const id = scripts.get('execute') ?? ''
    const run = { deviceIds }
    const answer = await asker.must('POST', `/scripts/${id}/execute`, run)
    expect(answer).toMatchObject({ executions: [], batchId: null })
    expect((await key.rest('POST', `/scripts/${id}/execute`, run)).status).toBe(403)
    const approval = await requested(answer, { kind: 'script', id, version: 1 })
    expect(await ranOn('execute')).toBe(0)
    await decided(approval)
    await ranOnBoth('execute')
  })

  it('as a run that starts later, or in batches', async () => {
    const id = scripts.get('later') ?? ''
    const startAt = new Date(Date.now() + laterMs).toISOString()
    const { deploymentId, ...answer } = await asker.must('POST', `/scripts/${id}/execute`, { deviceIds, startAt })
    const approval = await requested(answer, { kind: 'deployment', id: deploymentId })
    expect(await stateOf(`/deployments/${deploymentId}`)).toBe('awaiting_approval')
    await decided(approval)
    expect(await stateOf(`/deployments/${deploymentId}`)).toBe('scheduled')
    const staged = await asker.must('POST', `/scripts/${id}/execute`, { deviceIds, strategy: {} })
    await decided(await requested(staged, { kind: 'deployment', id: staged.deploymentId }))
    expect(await stateOf(`/deployments/${staged.deploymentId}`)).toBe('running')
  })

  it('as a command for many machines', async () => {
    const payload = { language: 'sh', script: `echo ran >> ${marker('bulk')}` }
    const bulk = { type: 'run_script', payload, deviceIds }
    const answer = await asker.must('POST', '/devices/bulk/commands', bulk)
    expect(answer.commands).toEqual([])
    expect((await key.rest('POST', '/devices/bulk/commands', bulk)).status).toBe(403)
    const approval = await requested(answer, null)
    expect(await ranOn('bulk')).toBe(0)
    await decided(approval)
    await ranOnBoth('bulk')
  })

  it('as the start of a deployment, which cannot be changed meanwhile', async () => {
    const id = await deployment('start')
    const answer = await asker.must('POST', `/deployments/${id}/start`)
    expect(answer).toMatchObject({ status: 'awaiting_approval' })
    const edit = await asker.rest('PATCH', `/deployments/${id}`, { strategy: { maxConcurrency: 1 } })
    expect(edit.status).toBe(409)
    const approval = await requested(answer, { kind: 'deployment', id })
    expect(await ranOn('start')).toBe(0)
    await decided(approval)
    await ranOnBoth('start')
    await eventually(async () => (await stateOf(`/deployments/${id}`)) === 'completed')
    const keyed = await deployment('start')
    expect((await key.rest('POST', `/deployments/${keyed}/start`)).status).toBe(403)
    const canceled = await requested(await asker.must('POST', `/deployments/${keyed}/start`), { id: keyed })
    await asker.must('POST', `/deployments/${keyed}/cancel`)
    const path = `/commands/approvals/${canceled.id}/approve`
    expect((await approvers[0].rest('POST', path, { hash: canceled.hash })).status).toBe(409)
    expect(await ranOn('start')).toBe(2)
  })

  it('as the resumption of a deployment', async () => {
    const id = await deployment('resume', { startAt: new Date(Date.now() + laterMs).toISOString() })
    await decided(await requested(await asker.must('POST', `/deployments/${id}/start`), { kind: 'deployment', id }))
    await asker.must('POST', `/deployments/${id}/pause`)
    const answer = await asker.must('POST', `/deployments/${id}/resume`)
    expect(answer).toMatchObject({ status: 'awaiting_approval' })
    await decided(await requested(answer, { kind: 'deployment', id }))
    expect(await stateOf(`/deployments/${id}`)).toBe('scheduled')
    expect(await ranOn('resume')).toBe(0)
  })

  it('as the repetition on a machine of a deployment', async () => {
    const id = await deployment('retry')
    await decided(await requested(await asker.must('POST', `/deployments/${id}/start`), { kind: 'deployment', id }))
    await eventually(async () => (await stateOf(`/deployments/${id}`)) === 'completed')
    await writeFile(marker('healed'), '')
    const answer = await asker.must('POST', `/deployments/${id}/devices/${deviceIds[0]}/retry`)
    const approval = await requested(answer, { kind: 'deployment', id })
    expect(await ranOn('retry')).toBe(0)
    await decided(approval)
    await eventually(async () => (await ranOn('retry')) === 1)
    await eventually(async () => (await stateOf(`/deployments/${id}`)) === 'completed')
    expect(await ranOn('retry')).toBe(1)
  })

  it('as an automation that is enabled or edited, and an edit voids the request before', async () => {
    const made = await asker.must('POST', '/automations', {
      ...{ name: 'Restart', trigger: { type: 'manual' }, enabled: false },
      ...{ actions: [{ type: 'command', command: 'reboot' }], maxDevicesPerRun: 101 },
    })
    const path = `/automations/${made.id}`
    const subject = { kind: 'automation', id: made.id }
    expect((await key.rest('PATCH', path, { enabled: true })).status).toBe(403)
    const first = await requested(await asker.must('PATCH', path, { enabled: true }), subject)
    expect(await stateOf(path)).toBe('awaiting_approval')
    const run = await asker.rest('POST', `${path}/run`, {})
    expect(run.status).toBe(409)
    const again = await requested(await asker.must('PATCH', path, { maxDevicesPerRun: 102 }), subject)
    const old = await approvers[0].rest('POST', `/commands/approvals/${first.id}/approve`, { hash: first.hash })
    expect(old.status).toBe(409)
    await decided(again)
    expect(await stateOf(path)).toBe('enabled')
    const edited = await asker.must('PATCH', path, { cooldownSeconds: 5 })
    expect(edited).toMatchObject({ status: 'awaiting_approval' })
    await decided(await requested(edited, subject))
    expect(await stateOf(path)).toBe('enabled')
  })
})
