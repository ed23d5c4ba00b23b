import type { Session } from '@muster/stack/local-agent.ts'
import { z } from 'zod'

// Scripts with versions and secrets, whose runs end with several severities, and a partner where a new version waits for approval.

const Created = z.looseObject({ id: z.uuid() })
const Anything = z.looseObject({})
const Owned = z.looseObject({ partnerId: z.uuid() })
const Sites = z.looseObject({ data: z.array(Created) })
const Devices = z.looseObject({
  devices: z.array(z.looseObject({ id: z.uuid(), orgId: z.uuid(), hostname: z.string(), osType: z.string() })),
})
const runsMax = 24

const scripts = [
  {
    name: 'Check free space',
    description: 'Warns of file systems with little space left',
    contents: ['df -h', 'df -h -x tmpfs -x devtmpfs'],
    exitCodes: { 1: 'warning' },
    tags: ['daily'],
    failsOnEvery: 3,
  },
  {
    name: 'Verify last night’s backup',
    description: 'Compares the newest backup with its manifest',
    contents: ['uptime; stat /var/backups/newest'],
    exitCodes: { 1: 'critical' },
    tags: ['daily', 'backup'],
    failsOnEvery: 4,
  },
  {
    name: 'Clear old package files',
    description: null,
    contents: ['apt-get clean || true', 'apt-get clean', 'apt-get autoclean'],
    exitCodes: { 0: 'info' },
    tags: ['cleanup'],
    failsOnEvery: 3,
  },
] as const

/** Adds scripts of the partner, their runs on machines with a shell, and secrets. Call once per installation. */
export async function addScripts(session: Session): Promise<void> {
  const { devices } = await session.get('/devices?status=online&limit=100', Devices)
  const chosen = devices.filter(({ osType }) => osType !== 'windows').slice(0, runsMax)
  const orgId = chosen[0]?.orgId
  if (orgId === undefined) return
  const { partnerId } = await session.get(`/orgs/organizations/${orgId}`, Owned)
  await addSecrets(session, partnerId, orgId)
  const deviceIds = chosen.map(({ id }) => id)
  for (const { contents, failsOnEvery, ...about } of scripts) {
    // Simulated machines fail where the script says so.
    const failed = chosen.filter((_, index) => index % failsOnEvery === 0).map(({ hostname }) => hostname)
    const told = `# simulated failure: ${failed.join(' ')}`
    const [first, ...later] = contents.map((content) => `${told}\n${content}`)
    const { id } = await session.post('/scripts', { partnerId, language: 'bash', content: first, ...about }, Created)
    await session.post(`/scripts/${id}/execute`, { deviceIds }, Anything)
    for (const content of later) {
      await session.post(`/script-library/scripts/${id}/versions`, { content, comment: 'Less output' }, Anything)
      await session.post(`/scripts/${id}/execute`, { deviceIds }, Anything)
    }
  }
  await addWaitingVersion(session)
}

/** One secret of each level. A script takes the nearest of its name. */
async function addSecrets(session: Session, partnerId: string, orgId: string): Promise<void> {
  const { data: sites } = await session.get(`/orgs/sites?orgId=${orgId}&limit=1`, Sites)
  const backup = { name: 'backup.password', value: crypto.randomUUID() }
  await session.post('/secrets', { ...backup, partnerId, description: 'Of all customers' }, Anything)
  await session.post('/secrets', { ...backup, orgId, description: 'Of their own repository' }, Anything)
  const router = { name: 'router.token', value: crypto.randomUUID(), description: 'For the router of the site' }
  if (sites[0]) await session.post('/secrets', { ...router, orgId, siteId: sites[0].id }, Anything)
  const parameters = [
    { name: 'password', label: 'Password', type: 'secret', required: true, default: { secret: backup.name } },
  ]
  const content = 'RESTIC_PASSWORD="$PARAM_PASSWORD" restic backup /srv'
  await session.post('/scripts', { orgId, name: 'Back up now', language: 'bash', content, parameters }, Anything)
}

/** A partner that requires a second person: the first version of its script runs, the second waits for approval. */
async function addWaitingVersion(session: Session): Promise<void> {
  const partner = { name: 'Fjord Health IT', slug: 'demo-fjord', type: 'enterprise', status: 'active' }
  const { id: partnerId } = await session.post('/orgs/partners', partner, Created)
  const content = 'getent group sudo'
  const script = { partnerId, name: 'List administrators', language: 'bash', content }
  const { id } = await session.post('/scripts', script, Created)
  await session.patch(`/orgs/partners/${partnerId}`, { settings: { secondPerson: true } }, Anything)
  const version = { content: `${content}; getent group wheel`, comment: 'Both names of the group' }
  await session.post(`/script-library/scripts/${id}/versions`, version, Anything)
}
