import { inTransaction } from '@muster/db/transaction.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, setState } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { person, type World, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { approvals } from '../../../control/commands/approvals/approvals.contract.ts'
import { commands } from '../../../control/commands/commands.contract.ts'
import { commandReports } from '../../../control/commands/results/commands.records.ts'
import { deployments } from '../../deployments/deployments.contract.ts'
import { scripts } from '../../scripts/scripts.contract.ts'
import { compliance } from '../compliance/compliance.contract.ts'
import { policies } from '../policies.contract.ts'
import { evaluated, reports } from '../testing/machines.ts'
import { attemptsMax, isMassChange, pauseMs } from './attempts.rules.ts'
import { remediation } from './remediation.contract.ts'
import { remediateViolations } from './remediation.jobs.ts'

const { system } = await testServices()
const parts = await testWorkerParts()
const rule = { key: 'vlc', type: 'software.prohibited' as const, software: 'vlc' }
const vlc = [{ name: 'vlc', version: '3.0' }]

/** A small fleet with an active policy whose rule a script repairs. */
async function fleet(size: number, more: object = {}, here?: World) {
  const own = here ?? (await world())
  const orgId = own.org.id
  const names = Array.from({ length: size }, (_, index) => `enforced-${index}`)
  const deviceIds = await enrolled(own.orgAdmin, { orgId }, ...names)
  for (const id of deviceIds) {
    await setState(id, { status: 'online' })
    await reports(id, {})
  }
  const script = await call(own.orgAdmin, scripts.create, {
    ...{ orgId, name: 'Remove VLC', language: 'bash', content: 'apt-get remove vlc' },
  })
  const repaired = { ...rule, remediation: { kind: 'script' as const, scriptId: script.id } }
  const made = await call(own.orgAdmin, policies.create, {
    ...{ orgId, name: 'No VLC', mode: 'enforce', rules: [repaired], maxRemediationsPerHour: 50 },
    assignments: [{ level: 'organization', id: orgId }],
    ...more,
  })
  const policy = await call(own.orgAdmin, policies.activate, { id: made.id })
  await evaluated(orgId)
  return { own, orgId, deviceIds, one: deviceIds[0] ?? '', policy, script }
}
type Fleet = Awaited<ReturnType<typeof fleet>>

async function violate({ orgId }: Fleet, ...deviceIds: string[]) {
  for (const id of deviceIds) await reports(id, { software: vlc })
  await evaluated(orgId)
}
const look = () => remediateViolations(parts)
const sentTo = async (policyId: string) =>
  (
    await system.query<{ id: string; device_id: string; created_by: string; origin: { attempt: number } }>(
      `SELECT * FROM device_commands WHERE origin ->> 'id' = $1 AND origin ->> 'kind' = 'policy' ORDER BY created_at`,
      [policyId],
    )
  ).rows
async function ends(commandId: string, deviceId: string, exitCode: number) {
  const body = { commandId, status: 'completed' as const, exitCode, stdout: '', durationMs: 5 }
  const record = { name: 'result' as const, deviceId, atMs: Date.now(), body }
  await inTransaction(parts.pool, (client) => commandReports.store(client, [record], parts))
}
/** Lets the time until the next try pass. */
const later = (policyId: string) =>
  system.query(`UPDATE device_policy_remediations SET next_at = now() WHERE policy_id = $1 AND next_at IS NOT NULL`, [
    policyId,
  ])
const shownOf = async ({ own, policy }: Fleet, deviceId: string) =>
  (await call(own.orgAdmin, compliance.list, { id: policy.id, limit: 100 })).data.find(
    (each) => each.deviceId === deviceId,
  )?.remediation

describe('an enforcing policy', () => {
  it('repairs a violation at once in the name of its owner, and forgets it once restored', async () => {
    const its = await fleet(2)
    const { own, orgId, policy, one } = its
    await look()
    expect(await sentTo(policy.id)).toEqual([])
    await violate(its, one)
    await look()
    const [sent] = await sentTo(policy.id)
    expect(sent).toMatchObject({ device_id: one, created_by: own.orgAdmin.userId, origin: { attempt: 1 } })
    expect(await shownOf(its, one)).toMatchObject({ state: 'running', attempts: 1, nextAt: expect.any(String) })
    await ends(sent?.id ?? '', one, 0)
    await reports(one, {})
    await evaluated(orgId)
    await look()
    expect(await shownOf(its, one)).toBeNull()
    await violate(its, one)
    await look()
    expect(await sentTo(policy.id)).toHaveLength(2)
  })

  it('sends each try once, although two workers look at once', async () => {
    const its = await fleet(3)
    await violate(its, ...its.deviceIds)
    await Promise.all([look(), look(), look()])
    await look()
    const sent = await sentTo(its.policy.id)
    expect(sent.map(({ device_id }) => device_id).sort()).toEqual([...its.deviceIds].sort())
  })

  it('tries again after some time, gives up after the fourth try, and begins again after an edit', async () => {
    const its = await fleet(1)
    const { own, policy, one } = its
    await violate(its, one)
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      await look()
      const sent = (await sentTo(policy.id)).at(-1)
      expect(sent?.origin.attempt).toBe(attempt)
      await ends(sent?.id ?? '', one, 1)
      await look()
      expect(await sentTo(policy.id)).toHaveLength(attempt)
      await later(policy.id)
    }
    await look()
    expect(await shownOf(its, one)).toEqual({ state: 'remediation_failed', attempts: 4, nextAt: null })
    await call(own.orgAdmin, policies.update, { id: policy.id, description: 'Edited' })
    await evaluated(its.orgId)
    await look()
    expect((await sentTo(policy.id)).length).toBe(attemptsMax + 1)
    expect(await shownOf(its, one)).toMatchObject({ state: 'running', attempts: 1 })
  })

  it('repairs no more devices per hour than it may', async () => {
    const its = await fleet(3, { maxRemediationsPerHour: 2 })
    await violate(its, ...its.deviceIds)
    await look()
    await look()
    expect(await sentTo(its.policy.id)).toHaveLength(2)
  })

  it('is held when too many devices violate it suddenly, until a person remediates', async () => {
    const its = await fleet(21)
    const { own, policy, deviceIds } = its
    await violate(its, ...deviceIds)
    await look()
    expect(await sentTo(policy.id)).toEqual([])
    expect(await call(own.orgAdmin, policies.get, { id: policy.id })).toMatchObject({ held: 'mass_change' })
    expect(await shownOf(its, its.one)).toMatchObject({ state: 'held', attempts: 0 })
    expect((await auditOf(policy.id)).map(({ action }) => action)).toContain('policy.hold')
    const dry = await call(own.orgAdmin, remediation.remediate, { id: policy.id, dryRun: true })
    expect(dry).toMatchObject({ deploymentId: null, devices: 21, skipped: [] })
    const real = await call(own.orgAdmin, remediation.remediate, { id: policy.id })
    const deployment = await call(own.orgAdmin, deployments.get, { id: real.deploymentId ?? '' })
    expect(deployment).toMatchObject({ status: 'running', order: { kind: 'policy', policyId: policy.id } })
    expect(await call(own.orgAdmin, policies.get, { id: policy.id })).toMatchObject({ held: null })
    await look()
    expect(await sentTo(policy.id)).toEqual([])
  })

  it('is held when its owner may not do it any more', async () => {
    const its = await fleet(1)
    const { own, policy, one } = its
    await system.query(`UPDATE users SET status = 'disabled' WHERE id = $1`, [own.orgAdmin.userId])
    await violate(its, one)
    await look()
    expect(await sentTo(policy.id)).toEqual([])
    expect(await call(own.partnerAdmin, policies.get, { id: policy.id })).toMatchObject({ held: 'owner_not_permitted' })
  })

  it('sends nothing while it is not active', async () => {
    const its = await fleet(1)
    await violate(its, its.one)
    await call(its.own.orgAdmin, policies.deactivate, { id: its.policy.id })
    await look()
    expect(await sentTo(its.policy.id)).toEqual([])
  })

  it('takes a fresh proof where it reaches far, and the permission of its remediations', async () => {
    const { own, policy, orgId } = await fleet(1)
    const { id } = policy
    await call(own.orgAdmin, policies.deactivate, { id })
    await call(own.orgAdmin, policies.update, { id, maxRemediationsPerHour: 101 })
    const late = await person({ scope: 'organization', partnerId: own.partner.id, orgId }, { role: 'Org Admin' })
    await system.query(`UPDATE sessions SET authenticated_at = now() - interval '2 hours' WHERE id = $1`, [
      late.sessionId,
    ])
    expect(await refusal(call(late, policies.activate, { id }))).toMatchObject({
      ...{ status: 403, extra: { confirm: 'currentPassword' } },
    })
    expect(await call(own.orgAdmin, policies.activate, { id })).toMatchObject({ status: 'active', approval: null })
  })

  it('waits for a second person where one is required', async () => {
    const its = await fleet(1)
    const { own, policy, orgId, one } = its
    const { id } = policy
    await call(own.orgAdmin, policies.deactivate, { id })
    await call(own.orgAdmin, policies.update, { id, maxRemediationsPerHour: 500 })
    await system.query(`UPDATE partners SET settings = '{"secondPerson": true}' WHERE id = $1`, [own.partner.id])
    const { approval, status } = await call(own.orgAdmin, policies.activate, { id })
    expect([status, approval?.subject]).toEqual(['awaiting_approval', expect.objectContaining({ kind: 'policy', id })])
    await violate(its, one)
    await look()
    expect(await sentTo(id)).toEqual([])
    const second = await person({ scope: 'organization', partnerId: own.partner.id, orgId }, { role: 'Org Admin' })
    const { hash } = await call(second, approvals.get, { id: approval?.id ?? '' })
    await call(second, approvals.approve, { id: approval?.id ?? '', hash })
    await evaluated(orgId)
    await look()
    expect(await sentTo(id)).toMatchObject([{ device_id: one, created_by: own.orgAdmin.userId }])
    const edited = await call(own.orgAdmin, policies.update, { id, maxRemediationsPerHour: 600 })
    expect(edited.status).toBe('awaiting_approval')
    await call(second, approvals.refuse, { id: edited.approval?.id ?? '', reason: 'Not this week' })
    expect(await call(own.orgAdmin, policies.get, { id })).toMatchObject({ status: 'inactive' })
  })
})

describe('remediating', () => {
  it('names devices that comply, and refuses a policy without remediations', async () => {
    const its = await fleet(2)
    const { own, policy, one, deviceIds } = its
    await violate(its, one)
    const dry = await call(own.orgAdmin, remediation.remediate, { id: policy.id, deviceIds, dryRun: true })
    expect(dry).toMatchObject({ devices: 1, skipped: [{ deviceId: deviceIds[1], reason: 'compliant' }] })
    await call(own.orgAdmin, policies.update, { id: policy.id, rules: [rule] })
    await evaluated(its.orgId)
    expect(await refusal(call(own.orgAdmin, remediation.remediate, { id: policy.id }))).toMatchObject({ status: 409 })
    const unknown = '00000000-0000-4000-8000-000000000009'
    const bad = [{ ...rule, remediation: { kind: 'script' as const, scriptId: unknown } }]
    expect(await refusal(call(own.orgAdmin, policies.update, { id: policy.id, rules: bad }))).toMatchObject({
      ...{ status: 400, message: expect.stringContaining('rules.0.remediation.scriptId') },
    })
  })

  it('runs commands too', async () => {
    const repaired = { ...rule, remediation: { kind: 'command' as const, type: 'refresh_inventory' as const } }
    const its = await fleet(1, { mode: 'warn', rules: [repaired] })
    await violate(its, its.one)
    const { deploymentId } = await call(its.own.orgAdmin, remediation.remediate, { id: its.policy.id })
    expect(deploymentId).not.toBeNull()
    expect((await call(its.own.orgAdmin, commands.list, { id: its.one })).data).toEqual([])
  })
})

describe('the rules of tries', () => {
  it('wait longer after each, and hold more than twenty devices or five percent', () => {
    expect([1, 2, 3].map((attempts) => pauseMs(attempts) / 60_000)).toEqual([15, 60, 240])
    expect([isMassChange(20, 50), isMassChange(21, 50), isMassChange(50, 1_000), isMassChange(51, 1_000)]).toEqual([
      ...[false, true, false, true],
    ])
  })
})
