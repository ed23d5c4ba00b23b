import type { Session } from '@muster/stack/local-agent.ts'
import { z } from 'zod'
import { type Place, places, provider } from './places.ts'
import { addSampleData } from './samples/data.ts'
import { addPolicies } from './samples/policies.ts'
import { addWatch, type Site } from './samples/watch.ts'

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
  const firstSites = new Map<string, Site>()
  for (const place of places) {
    const { orgId, siteId, key } = await makePlace(session, partnerId, place, machines)
    keys.set(place, key)
    if (!firstSites.has(orgId)) firstSites.set(orgId, { orgId, siteId })
  }
  if (isNew) {
    await addSampleData(session, partnerId, [...firstSites.keys()])
    await addWatch(session, partnerId, [...firstSites.values()])
    const [first] = firstSites.keys()
    if (first !== undefined) await addPolicies(session, partnerId, first)
  }
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
  return {
    orgId,
    siteId,
    key: (await session.post('/enrollment-keys', wanted, z.looseObject({ key: z.string() }))).key,
  }
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
