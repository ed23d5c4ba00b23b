import type { Provider, Step } from '@muster/areas/access/sso/providers/providers.contract.ts'
import { CircleCheck, CircleX } from 'lucide-react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Badge, Card } from '../../../ui/page/display.tsx'
import { Loading, Refusal } from '../../../ui/page/states.tsx'

const names: Readonly<Record<Step['step'], string>> = {
  address: 'Address allowed',
  discovery: 'Discovery document found',
  issuer: 'Issuer matches',
  endpoints: 'Endpoints listed',
  pkce: 'PKCE supported',
  algorithms: 'Signing algorithm accepted',
  client: 'Client accepted',
  scopes: 'Scopes supported',
  keys: 'Signing keys readable',
}

/** Tests the provider step by step. */
export function ProviderTest({
  provider,
  blocked,
}: {
  readonly provider: Provider
  readonly blocked: string | undefined
}) {
  const test = useApiMutation(() => api.sso.providers.test.mutate({ id: provider.id }), { refresh: ['sso'] })
  return (
    <Card
      title="2. Test the connection"
      actions={
        <Button
          small
          kind={provider.provenAt === null ? 'primary' : 'plain'}
          blocked={blocked}
          busy={test.isPending}
          onClick={() => test.mutate(undefined)}
        >
          {test.data ? 'Test again' : 'Test connection'}
        </Button>
      }
    >
      <div aria-live="polite" className="grid gap-3">
        {!test.data && !test.isPending && (
          <p className="text-muted text-sm">Checks the provider from this server. It changes nothing.</p>
        )}
        {test.isPending && <Loading lines={5} label="Testing" />}
        {test.data && !test.isPending && (
          <>
            <ol className="grid gap-2">
              {test.data.steps.map(({ step, ok, message }) => (
                <li key={step} className="flex items-start gap-2 text-sm">
                  {ok ? (
                    <CircleCheck aria-label="Passed" className="mt-0.5 size-4 shrink-0 text-good-text" />
                  ) : (
                    <CircleX aria-label="Failed" className="mt-0.5 size-4 shrink-0 text-bad-text" />
                  )}
                  <span className="min-w-0">
                    <span className="font-medium">{names[step]}</span>{' '}
                    <span className="break-words text-muted">{message}</span>
                  </span>
                </li>
              ))}
            </ol>
            <span>
              <Badge tone={test.data.success ? 'good' : 'bad'}>
                {test.data.success
                  ? 'All checks passed. You can activate the provider'
                  : 'Fix failed checks, then test again'}
              </Badge>
            </span>
          </>
        )}
        <Refusal error={test.error} />
      </div>
    </Card>
  )
}
