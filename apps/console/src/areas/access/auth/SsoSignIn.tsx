import { useQuery } from '@tanstack/react-query'
import { Building2 } from 'lucide-react'
import { api } from '../../../api.ts'
import { buttonClass } from '../../../ui/button/Button.tsx'
import { Refusal } from '../../../ui/page/states.tsx'

const orgKey = 'muster.sso-org'

/** The organization in the address, else the one whose provider this browser used before. */
export const ssoOrganization = (given: string | undefined): string | null => given ?? localStorage.getItem(orgKey)
const rememberOrganization = (orgId: string): void => localStorage.setItem(orgKey, orgId)
export const forgetOrganization = (): void => localStorage.removeItem(orgKey)

/** The identity providers of an organization. */
export const useSso = (orgId: string | null) =>
  useQuery({
    queryKey: ['sso', orgId],
    queryFn: ({ signal }) => api.sso.flow.check.query({ orgId: orgId ?? '' }, { signal }),
    enabled: orgId !== null,
    staleTime: 60_000,
  })

interface Props {
  readonly orgId: string
  readonly next: string | undefined
  /** Whether the address names the organization. If it does, a missing provider is reported. */
  readonly isNamed: boolean
}

/** A button for each identity provider of the organization. */
export function SsoSignIn({ orgId, next, isNamed }: Props) {
  const { data, error } = useSso(orgId)
  if (error && isNamed) return <Refusal error={error} />
  if (!data) return null
  if (!data.ssoEnabled)
    return isNamed ? (
      <p className="rounded-md bg-sunken px-3 py-2 text-sm">
        This organization has no identity provider. Sign in with your password.
      </p>
    ) : null
  const back = next ? `redirect=${encodeURIComponent(`/login?next=${encodeURIComponent(next)}`)}` : ''
  const hrefOf = (loginUrl: string) => (back ? `${loginUrl}${loginUrl.includes('?') ? '&' : '?'}${back}` : loginUrl)
  return (
    <>
      {data.enforceSSO && (
        <p className="rounded-md bg-sunken px-3 py-2 text-sm">
          Your organization requires SSO. Sign in through its identity provider.
        </p>
      )}
      {data.providers.map(({ id, name, loginUrl }) => (
        <a
          key={id}
          href={hrefOf(loginUrl)}
          onClick={() => rememberOrganization(orgId)}
          className={`${buttonClass(data.enforceSSO ? 'primary' : 'plain')} !h-9 w-full`}
        >
          <Building2 aria-hidden className="size-4" />
          Sign in with {name}
        </a>
      ))}
    </>
  )
}
