import { Popover } from '@base-ui/react/popover'
import { Building2, Check, ChevronsUpDown, MapPin, Waypoints } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useApiQuery, useFullList } from '../queries.ts'
import { useCan, useMe } from '../session/session.tsx'
import { switchTo } from '../session/transitions.ts'
import { inputClass } from '../ui/form/fields.tsx'
import { Loading, toastError } from '../ui/page/states.tsx'
import { useChoosePlace, usePlace } from './place.ts'

/** The partner or organization of the session, and the organization and site that the screens are limited to. */
export function Places() {
  const [open, setOpen] = useState(false)
  const { org, site } = usePlace()
  const memberships = useApiQuery((api) => api.auth.sessions.memberships, {}, { staleMs: 60_000 }).data?.data ?? []
  const organizations = useOrganizations()
  const current = memberships.find((each) => each.current)
  const orgName = organizations?.find(({ id }) => id === org)?.name
  const sites = useSites(site ? org : undefined)
  const siteName = sites?.find(({ id }) => id === site)?.name
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className="flex min-h-9 min-w-0 max-w-80 items-center gap-2 rounded-md px-2 py-0.5 text-left hover:bg-hover">
        <span className="grid min-w-0 flex-1 leading-tight">
          <span className="truncate font-medium text-sm">{orgName ?? nameOf(current)}</span>
          <span className="truncate text-muted text-xs">
            {siteName ?? (orgName ? nameOf(current) : 'All organizations')}
          </span>
        </span>
        <span className="sr-only">Switch organization or site</span>
        <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-muted" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" className="z-40">
          <Popover.Popup
            aria-label="Switch organization or site"
            className="max-h-[70vh] w-80 overflow-y-auto rounded-xl border border-line bg-raised p-1.5 shadow-pop outline-none"
          >
            <Choices memberships={memberships} close={() => setOpen(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface Membership {
  readonly scope: 'system' | 'partner' | 'organization'
  readonly partnerId: string | null
  readonly partnerName: string | null
  readonly orgId: string | null
  readonly orgName: string | null
  readonly roleName: string
  readonly current: boolean
}
const nameOf = (membership: Membership | undefined) =>
  membership === undefined ? 'Muster' : (membership.orgName ?? membership.partnerName ?? 'All partners')
const keyOf = ({ scope, partnerId, orgId }: Membership) => `${scope}${partnerId}${orgId}`

function useOrganizations() {
  const allowed = useCan()('organizations:read')
  return useApiQuery((api) => api.tenancy.organizations.all, {}, { enabled: allowed, staleMs: 60_000 }).data?.data
}
function useSites(orgId: string | undefined) {
  const allowed = useCan()('sites:read')
  return useFullList((api) => api.tenancy.sites.list, orgId ? { orgId } : {}, {
    enabled: allowed && orgId !== undefined,
    staleMs: 60_000,
  }).data
}

function Choices({ memberships, close }: { readonly memberships: readonly Membership[]; close(): void }) {
  const me = useMe()
  const { org, site } = usePlace()
  const choose = useChoosePlace()
  const [wanted, setWanted] = useState('')
  const organizations = useOrganizations()
  const sites = useSites(org)
  const fits = ({ name }: { name: string }) => name.toLowerCase().includes(wanted.trim().toLowerCase())
  const go = (place: { org?: string; site?: string }) => {
    choose(place)
    close()
  }
  const change = async (membership: Membership) => {
    close()
    await switchTo(membership).catch(toastError)
  }
  return (
    <>
      {memberships.length > 1 && (
        <Group label="Your accounts">
          {memberships.map((each) => (
            <Choice
              key={keyOf(each)}
              icon={<Waypoints aria-hidden className="size-4" />}
              label={nameOf(each)}
              more={each.roleName}
              chosen={each.current}
              act={() => (each.current ? go({}) : void change(each))}
            />
          ))}
        </Group>
      )}
      {me.scope !== 'organization' && (
        <Group label="Organizations">
          {(organizations?.length ?? 0) > 8 && (
            <input
              type="search"
              aria-label="Find an organization"
              placeholder="Find an organization"
              value={wanted}
              onChange={(event) => setWanted(event.target.value)}
              className={`${inputClass} mb-1`}
            />
          )}
          {wanted === '' && (
            <Choice
              icon={<Building2 aria-hidden className="size-4" />}
              label="All organizations"
              chosen={!org}
              act={() => go({})}
            />
          )}
          {organizations === undefined && <Loading lines={3} />}
          {organizations
            ?.filter(fits)
            .slice(0, 60)
            .map(({ id, name }) => (
              <Choice
                key={id}
                icon={<Building2 aria-hidden className="size-4" />}
                label={name}
                chosen={org === id && !site}
                act={() => go({ org: id })}
              />
            ))}
        </Group>
      )}
      {sites !== undefined && sites.length > 0 && org !== undefined && (
        <Group label="Sites">
          {sites.map(({ id, name }) => (
            <Choice
              key={id}
              icon={<MapPin aria-hidden className="size-4" />}
              label={name}
              chosen={site === id}
              act={() => go({ org, site: id })}
            />
          ))}
        </Group>
      )}
    </>
  )
}

function Group({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section className="py-1">
      <h2 className="px-2 pb-1 font-medium text-muted text-xs">{label}</h2>
      {children}
    </section>
  )
}

interface ChoiceProps {
  readonly icon: ReactNode
  readonly label: string
  readonly more?: string
  readonly chosen: boolean
  act(): void
}
function Choice({ icon, label, more, chosen, act }: ChoiceProps) {
  return (
    <button
      type="button"
      aria-current={chosen || undefined}
      onClick={act}
      className="flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm hover:bg-hover"
    >
      <span className="text-muted">{icon}</span>
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {more && <span className="truncate text-muted text-xs">{more}</span>}
      {chosen && <Check aria-hidden className="size-4 text-accent-text" />}
    </button>
  )
}
