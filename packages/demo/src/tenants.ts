import type { Session } from '@muster/stack/local-agent.ts'
import { z } from 'zod'
import { type Place, places, provider } from './places.ts'
import { addSampleData } from './sample-data.ts'

const Created = z.looseObject({ id: z.uuid() })
const Page = z.looseObject({
  data: z.array(z.looseObject({ id: z.uuid(), name: z.string(), slug: z.string().optional() })),
})
const keyLifeMs = 60 * 60_000

/** Creates the provider, its customers and their sites if missing. @returns an enrollment key for each site */
export async function makeTenants(session: Session, machines: number): Promise<ReadonlyMap<Place, string>> {
  const partners = { list: '/orgs/partners?limit=100', path: '/orgs/partners' }
  const isOurs = ({ slug }: Named) => slug === provider.slug
  const body = { ...provider, type: 'msp', plan: 'enterprise', status: 'active' }
  const { id: partnerId, isNew } = await ensure(session, { ...partners, isIt: isOurs, body })
  const keys = new Map<Place, string>()
  const orgIds = new Set<string>()
  for (const place of places) {
    const { orgId, key } = await makePlace(session, partnerId, place, machines)
    keys.set(place, key)
    orgIds.add(orgId)
  }
  if (isNew) await addSampleData(session, partnerId, [...orgIds])
  return keys
}

async function makePlace(session: Session, partnerId: string, place: Place, maxUsage: number) {
  const { id: orgId } = await ensure(session, {
    list: `/orgs/organizations?partnerId=${partnerId}&limit=100`,
    isIt: ({ slug }) => slug === place.slug,
    path: '/orgs/organizations',
    body: { name: place.organization, slug: place.slug, partnerId },
  })
  const { id: siteId } = await ensure(session, {
    list: `/orgs/sites?orgId=${orgId}&limit=100`,
    isIt: ({ name }) => name === place.site,
    path: '/orgs/sites',
    body: { name: place.site, orgId },
  })
  const expiresAt = new Date(Date.now() + keyLifeMs).toISOString()
  const wanted = { name: `Demonstration: ${place.site}`, orgId, siteId, maxUsage, expiresAt }
  return { orgId, key: (await session.post('/enrollment-keys', wanted, z.looseObject({ key: z.string() }))).key }
}

type Named = z.infer<typeof Page>['data'][number]

interface Wanted {
  readonly list: string
  isIt(one: Named): boolean
  readonly path: string
  readonly body: object
}

async function ensure(session: Session, { list, isIt, path, body }: Wanted): Promise<{ id: string; isNew: boolean }> {
  const known = (await session.get(list, Page)).data.find(isIt)
  return known ? { id: known.id, isNew: false } : { id: (await session.post(path, body, Created)).id, isNew: true }
}
