import { setTimeout as pause } from 'node:timers/promises'
import type { Session } from '@muster/stack/local-agent.ts'
import { z } from 'zod'

// What happens to policies after the machines enrolled: violations, exceptions, and devices that comply again.

const Created = z.looseObject({ id: z.uuid() })
const Evaluated = z.looseObject({})
const Found = z.looseObject({ data: z.array(z.looseObject({ id: z.uuid(), partnerId: z.uuid() })) })
const Violating = z.looseObject({ data: z.array(z.looseObject({ deviceId: z.uuid() })) })

const tries = 60
const betweenMs = 1_000
const dayMs = 86_400_000

/** The first devices that do not comply with a policy, as soon as there are some. Empty if there are none in a minute. */
async function violating(session: Session, policyId: string): Promise<readonly string[]> {
  for (let left = tries; left > 0; left--) {
    const { data } = await session.get(`/policies/${policyId}/compliance?status=non_compliant&limit=2`, Violating)
    if (data.length > 0) return data.map(({ deviceId }) => deviceId)
    await pause(betweenMs)
  }
  return []
}

const firefox = (minVersion: string) => [
  { key: 'firefox-current', type: 'software.required', software: 'Mozilla Firefox', severity: 'medium', minVersion },
]

/** Exempts devices from the baseline, and restores devices by asking for an older version. Call once per installation. */
export async function addDrift(session: Session): Promise<void> {
  const { data } = await session.get('/policies?search=Baseline', Found)
  const [baseline] = data
  if (baseline === undefined) return
  const [first, second] = await violating(session, baseline.id)
  const except = (deviceId: string, more: object) =>
    session.post(`/policies/${baseline.id}/exceptions`, { deviceId, ...more }, Created)
  const expiresAt = new Date(Date.now() + 30 * dayMs).toISOString()
  if (first !== undefined) await except(first, { reason: 'It is replaced next month', expiresAt })
  if (second !== undefined) await except(second, { ruleKey: 'firefox', reason: 'A kiosk without a browser' })
  const { id } = await session.post(
    '/policies',
    {
      ...{ partnerId: baseline.partnerId, name: 'Current Firefox', rules: firefox('145') },
      assignments: [{ level: 'partner', id: baseline.partnerId }],
    },
    Created,
  )
  await session.post(`/policies/${id}/activate`, {}, Created)
  await violating(session, id)
  await session.patch(`/policies/${id}`, { rules: firefox('144') }, Evaluated)
}
