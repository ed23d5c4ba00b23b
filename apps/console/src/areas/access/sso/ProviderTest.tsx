import type { Step } from '@muster/areas/access/sso/providers.contract.ts'
import { CircleCheck, CircleX } from 'lucide-react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { Button } from '../../../ui/Button.tsx'
import { Badge, Card } from '../../../ui/display.tsx'
import { Loading, Refusal } from '../../../ui/states.tsx'

const names: Readonly<Record<Step['step'], string>> = {
  address: 'The address may be asked',
  discovery: 'It describes itself',
  issuer: 'It bears the name that you gave',
  endpoints: 'It says where to sign in',
  pkce: 'It protects the code (PKCE)',
  algorithms: 'It signs in a way that we accept',
  client: 'It knows us',
  scopes: 'It gives what we ask for',
  keys: 'Its keys can be read',
}

/** Asks the provider, one step after the other, and shows what came of each. */
export function ProviderTest({ id, blocked }: { readonly id: string; readonly blocked: string | undefined }) {
  const test = useApiMutation(() => api.sso.providers.test.mutate({ id }))
  return (
    <Card
      title="2. Test it"
      actions={
        <Button small blocked={blocked} busy={test.isPending} onClick={() => test.mutate(undefined)}>
          {test.data ? 'Test again' : 'Run the test'}
        </Button>
      }
    >
      <div aria-live="polite" className="grid gap-3">
        {!test.data && !test.isPending && (
          <p className="text-muted text-sm">It looks at the provider from here and changes nothing.</p>
        )}
        {test.isPending && <Loading lines={5} label="Testing" />}
        {test.data && !test.isPending && (
          <>
            <ol className="grid gap-2">
              {test.data.steps.map(({ step, ok, message }) => (
                <li key={step} className="flex items-start gap-2 text-sm">
                  {ok ? (
                    <CircleCheck aria-label="Right" className="mt-0.5 size-4 shrink-0 text-good-text" />
                  ) : (
                    <CircleX aria-label="Wrong" className="mt-0.5 size-4 shrink-0 text-bad-text" />
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
                {test.data.success ? 'Everything is right. It can be activated' : 'Mend what is wrong, then test again'}
              </Badge>
            </span>
          </>
        )}
        <Refusal error={test.error} />
      </div>
    </Card>
  )
}
