import type { Provider } from '@muster/areas/access/sso/providers/providers.contract.ts'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Card, CopyText, Facts } from '../../../ui/page/display.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { PendingPage } from '../../../ui/page/PendingPage.tsx'
import { Moment } from '../../../ui/text/time.tsx'
import { Identities } from './Identities.tsx'
import { ProviderForm } from './ProviderForm.tsx'
import { ProviderTest } from './ProviderTest.tsx'
import { ScimCard } from './ScimCard.tsx'
import { fullAccessRequired, ProviderBadge, type ProviderStatus, providerSteps } from './status.tsx'

const up = { label: 'Single sign-on', to: '/sso' } as const

/** One identity provider: its configuration, test, status and linked users. */
export function ProviderPage() {
  const { providerId } = useParams({ from: '/app/sso/$providerId' })
  const answer = useApiQuery((client) => client.sso.providers.get, { id: providerId })
  if (!answer.data) return <PendingPage title="Identity provider" up={up} answer={answer} />
  return <Sheet provider={answer.data} />
}

function Sheet({ provider }: { readonly provider: Provider }) {
  const blocked = useCan()('*:*') ? undefined : fullAccessRequired
  return (
    <Page
      title={provider.name}
      up={up}
      badge={<ProviderBadge status={provider.status} />}
      actions={<Actions provider={provider} blocked={blocked} />}
    >
      <div className="grid max-w-6xl items-start gap-4 lg:grid-cols-2">
        <Card title="1. Configure your provider">
          <Labeled label="Redirect URL">
            <CopyText text={provider.redirectUri} label="the redirect URL" wrap />
          </Labeled>
        </Card>
        <ProviderTest provider={provider} blocked={blocked} />
        <Card title="3. Share the sign-in link">
          <Labeled label="Sign-in page of this organization">
            <CopyText text={`${window.location.origin}/login?org=${provider.orgId}`} label="the link" wrap />
          </Labeled>
          <Labeled label="Direct link to the provider">
            <CopyText text={provider.loginUrl} label="the direct link" wrap />
          </Labeled>
        </Card>
        <ScimCard provider={provider} blocked={blocked} />
        <About provider={provider} />
        <Identities providerId={provider.id} blocked={blocked} />
      </div>
    </Page>
  )
}

const Labeled = ({ label, children }: { readonly label: string; readonly children: React.ReactNode }) => (
  <div className="grid gap-1 [&:not(:first-child)]:mt-3">
    <p className="text-muted text-sm">{label}</p>
    {children}
  </div>
)

const yes = (value: boolean) => (value ? 'Yes' : 'No')

function About({ provider }: { readonly provider: Provider }) {
  const { issuer, clientId, hasClientSecret, scopes, allowedDomains, autoProvision, enforceSSO, trustMfa, provenAt } =
    provider
  return (
    <Card title="Details">
      <Facts
        facts={[
          ['Issuer', <code key="issuer">{issuer}</code>],
          ['Client ID', <code key="client">{clientId}</code>],
          ['Client secret', hasClientSecret ? 'stored' : 'none (public client)'],
          ['Scopes', scopes],
          ['Email domains', allowedDomains || 'all'],
          ['Creates users automatically', yes(autoProvision)],
          ['First successful test', <Moment key="proven" at={provenAt} never="not yet" />],
          ['Requires SSO', yes(enforceSSO)],
          ['Trusts provider MFA', yes(trustMfa)],
        ]}
      />
    </Card>
  )
}

function Actions({ provider, blocked }: { readonly provider: Provider; readonly blocked: string | undefined }) {
  const { id, name, status } = provider
  const navigate = useNavigate()
  const [open, setOpen] = useState<'edit' | 'delete' | ProviderStatus | null>(null)
  const close = () => setOpen(null)
  const set = useApiMutation((next: ProviderStatus) => api.sso.providers.status.mutate({ id, status: next }), {
    refresh: ['sso'],
    done: (after) =>
      toast(`${name} is now ${after.status}`, after.status === status ? {} : { undo: () => set.mutate(status) }),
  })
  const remove = useApiMutation(() => api.sso.providers.remove.mutate({ id }), {
    refresh: ['sso.providers.list'],
    done() {
      toast(`${name} deleted`)
      void navigate({ to: '/sso' })
    },
  })
  const isProven = provider.provenAt !== null
  const step = open === 'active' || open === 'testing' || open === 'inactive' ? open : null
  const main: ProviderStatus = status === 'active' ? 'inactive' : 'active'
  return (
    <>
      <RowMenu
        name={name}
        groups={[
          status === 'inactive'
            ? [{ label: providerSteps.testing.verb, blocked, act: () => setOpen('testing') }]
            : status === 'testing'
              ? [{ label: providerSteps.inactive.verb, blocked, act: () => setOpen('inactive') }]
              : [],
          [{ label: 'Delete provider', danger: true, blocked, act: () => setOpen('delete') }],
        ]}
      />
      <Button blocked={blocked} onClick={() => setOpen('edit')}>
        <Pencil aria-hidden className="size-4" />
        Edit provider
      </Button>
      <Button
        kind={main === 'active' && isProven ? 'primary' : 'plain'}
        blocked={blocked}
        onClick={() => setOpen(main)}
      >
        {providerSteps[main].verb}
      </Button>
      {open === 'edit' && <ProviderForm provider={provider} orgId={provider.orgId} close={close} />}
      <Confirm
        open={step !== null}
        danger={step === 'inactive'}
        close={close}
        title={step ? providerSteps[step].title(name) : ''}
        verb={step ? providerSteps[step].verb : ''}
        act={async () => step && set.mutateAsync(step)}
      >
        {step && providerSteps[step].consequence}
        {step === 'active' && provider.enforceSSO && ' SSO is then required for all users of the organization.'}
        {step === 'active' && !isProven && ' No test of the connection has passed yet: test it first.'}
      </Confirm>
      <Confirm
        danger
        open={open === 'delete'}
        close={close}
        title={`Delete ${name}?`}
        verb="Delete provider"
        type={name}
        act={() => remove.mutateAsync(undefined)}
      >
        Linked users are unlinked, and their sessions through this provider end. Their accounts stay. Users without a
        password need a link to set one.
      </Confirm>
    </>
  )
}
