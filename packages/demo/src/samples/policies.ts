import type { Session } from '@muster/stack/local-agent.ts'
import { z } from 'zod'

// Sample data of configuration policies: two of the partner, and one of an organization that replaces a rule.

const Created = z.looseObject({ id: z.uuid() })
const firefox = { key: 'firefox', type: 'software.required', software: 'Mozilla Firefox', severity: 'low' }

/** Adds active policies to a new partner and one of its organizations. Call once per partner. */
export async function addPolicies(session: Session, partnerId: string, orgId: string): Promise<void> {
  const activate = async (policy: object) => {
    const { id } = await session.post('/policies', policy, Created)
    await session.post(`/policies/${id}/activate`, {}, Created)
  }
  await activate({
    ...{ partnerId, name: 'Baseline', description: 'What every machine has to be like' },
    assignments: [{ level: 'partner', id: partnerId }],
    rules: [
      { key: 'vlc', type: 'software.prohibited', software: 'VLC media player', locked: true },
      { ...firefox, minVersion: '144' },
    ],
  })
  await activate({
    ...{ partnerId, name: 'Space on Linux and macOS', osTypes: ['linux', 'macos'], mode: 'warn' },
    assignments: [{ level: 'partner', id: partnerId }],
    rules: [{ key: 'disk', type: 'disk.free', mount: '/', minPercent: 15, message: 'Free some space' }],
  })
  await activate({
    ...{ orgId, name: 'Long-term Firefox', priority: 200 },
    assignments: [{ level: 'organization', id: orgId }],
    rules: [{ ...firefox, minVersion: '140' }],
  })
}
