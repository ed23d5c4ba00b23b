import { useQuery } from '@tanstack/react-query'
import { Building2 } from 'lucide-react'
import { api } from '../../../api.ts'
import { buttonClass } from '../../../ui/Button.tsx'
import { Refusal } from '../../../ui/states.tsx'

const orgKey = 'muster.sso-org'

/** The organisation of the address, else the one through whose provider somebody signed in here before. */
export const ssoOrganization = (given: string | undefined): string | null => given ?? localStorage.getItem(orgKey)
const rememberOrganization = (orgId: string): void => localStorage.setItem(orgKey, orgId)
export const forgetOrganization = (): void => localStorage.removeItem(orgKey)

/** Through whom the people of an organisation sign in. */
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
  /** Was the organisation named in the address, so that its absence is worth a word? */
  readonly isNamed: boolean
}

/** A button for each identity provider of the organisation. */
export function SsoSignIn({ orgId, next, isNamed }: Props) {
  const { data, error } = useSso(orgId)
  if (error && isNamed) return <Refusal error={error} />
  if (!data) return null
  if (!data.ssoEnabled)
    return isNamed ? (
      <p className="rounded-md bg-sunken px-3 py-2 text-sm">
        This organisation has no sign-in provider. Sign in with your password.
      </p>
    ) : null
  const back = next ? `redirect=${encodeURIComponent(`/login?next=${encodeURIComponent(next)}`)}` : ''
  const hrefOf = (loginUrl: string) => (back ? `${loginUrl}${loginUrl.includes('?') ? '&' : '?'}${back}` : loginUrl)
  return (
    <>
      {data.enforceSSO && (
        <p className="rounded-md bg-sunken px-3 py-2 text-sm">
          Your organisation lets its people in through its provider alone. Passwords and passkeys of its people do not
          open anything.
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
