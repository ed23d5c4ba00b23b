// What a rule would do now, and would have done over stored history. Nothing is written.
import type { Condition } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { rowsWithin } from '@muster/db/time-limit.ts'
import type { Caller } from '@muster/kit/access.ts'
import { invalid, unavailable } from '@muster/kit/errors.ts'
import { type SqlBool, sql } from 'kysely'
import { visibleDevices } from '../../../fleet/devices/index.ts'
import { inTargets } from '../../../fleet/targets/index.ts'
import type { Call } from '../../../operation.ts'
import { readOutages } from '../checks/listening.ts'
import { ConditionsInput } from '../rules/conditions.contract.ts'
import type { StoredRule } from '../rules/rule.queries.ts'
import type { RuleTest, TestInput } from '../rules/rule-test.contract.ts'
import { Backtest } from './backtest.ts'
import { groupingOf } from './grouping.ts'
import { replayHistory } from './history.ts'
import { isKnown, matchesOf } from './matches.ts'
import type { Device } from './reading.ts'
import { askingRuleOf, type TestedRule } from './tested-rule.ts'

/** When each part ends, after the beginning. All of it takes less than ten seconds. */
const until = { devices: 2_500, matches: 5_000, backtest: 9_000 }

/** The devices that a condition names and the caller sees, by site. */
async function devicesOf(
  db: Db,
  caller: Caller,
  partnerId: string,
  named: Condition,
  deviceId: string | undefined,
): Promise<Device[]> {
  const rows = await rowsWithin(
    db,
    until.devices,
    sql<Device>`SELECT devices.id, devices.org_id, devices.site_id FROM devices
      WHERE devices.partner_id = ${partnerId} AND ${visibleDevices(caller)} AND ${named}
        AND devices.id = coalesce(${deviceId ?? null}::uuid, devices.id) ORDER BY devices.site_id, devices.id`,
  )
  if (rows === null) throw unavailable('The targeted devices could not be read in time. Target fewer devices')
  if (deviceId !== undefined && rows.length === 0) throw invalid(`deviceId: the rule targets no device ${deviceId}`)
  return rows
}

type Testing = Pick<Call, 'db' | 'caller' | 'services'>

/** Tests a stored rule, with other conditions if some are given. */
export function testRule(call: Testing, rule: StoredRule, given: Omit<TestInput, 'id'>): Promise<RuleTest> {
  const { id, partnerId, orgId, targetSetId, reopenSeconds, policyId } = rule
  const tested = {
    ...{ id, partnerId, orgId, reopenSeconds, policyId },
    conditions: given.conditions ?? ConditionsInput.parse(rule.conditions),
    forSeconds: given.forSeconds ?? rule.forSeconds,
    clearForSeconds: given.clearForSeconds ?? rule.clearForSeconds,
  }
  const named = sql<SqlBool>`EXISTS (SELECT FROM target_sets t WHERE t.id = ${targetSetId} AND ${inTargets('t', 'devices')})`
  return testFor(call, tested, named, given)
}

/** Tests a rule for the devices that a condition names. */
export async function testFor(
  { db, caller, services }: Testing,
  rule: TestedRule,
  named: Condition,
  { deviceId, hours }: Pick<TestInput, 'deviceId' | 'hours'>,
): Promise<RuleTest> {
  const beganMs = performance.now()
  const devices = await devicesOf(db, caller, rule.partnerId, named, deviceId)
  const about = {
    ...{ db, devices, hours },
    nowMs: services.clock.now(),
    outages: await readOutages(services.system),
    asking: await askingRuleOf(db, rule),
  }
  const isOne = deviceId !== undefined
  const looked = await matchesOf({ ...about, isOne, endMs: beganMs + until.matches }, rule)
  const backtest = new Backtest(rule.reopenSeconds, await groupingOf(db, rule.policyId, devices))
  const replayed = await replayHistory({ ...about, backtest, endMs: beganMs + until.backtest }, rule)
  const total = devices.length
  const { since, alerts, messages, flaps, perDay } = backtest.result()
  const { basis } = replayed
  const unknown = { since: null, alerts: null, messages: null, flaps: null, perDay: [] }
  const figures = basis === 'none' ? unknown : { since, alerts, messages, flaps, perDay }
  const notes = [
    ...notesOfMatches(about, rule, looked.devices, total),
    ...replayed.notes,
    ...(basis === 'history' && replayed.devices < total
      ? [
          `The time was over after the history of ${replayed.devices} of ${total} devices. Target fewer devices or fewer hours.`,
        ]
      : []),
  ]
  return { matches: [...looked.matches], total, backtest: { basis, devices: replayed.devices, ...figures }, notes }
}

function notesOfMatches(
  about: Parameters<typeof isKnown>[0],
  { conditions, ...rule }: TestedRule,
  looked: number,
  total: number,
): string[] {
  if ('kind' in conditions && conditions.kind !== 'metric' && !isKnown(about, { ...rule, conditions }))
    return ['No enabled rule asks this of agents yet, so it is unknown which devices match now.']
  if (looked >= total) return []
  return [
    `The time was over after ${looked} of ${total} devices were compared with the condition. Target fewer devices.`,
  ]
}
