import type { Provider } from '@muster/areas/access/sso/providers/providers.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { ShownOnce } from '../../../ui/dialog/ShownOnce.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { OverlapField } from '../../../ui/form/OverlapField.tsx'
import { Badge, Card, CopyText } from '../../../ui/page/display.tsx'
import { Ago } from '../../../ui/text/time.tsx'

/** The SCIM token, with which the provider manages the users of the organization. */
export function ScimCard({ provider, blocked }: { readonly provider: Provider; readonly blocked: string | undefined }) {
  const { id, scim } = provider
  const [open, setOpen] = useState<'create' | 'revoke' | null>(null)
  const [overlap, setOverlap] = useState(0)
  const [token, setToken] = useState<string | null>(null)
  const rotate = useApiMutation(() => api.sso.scimTokens.rotate.mutate({ id, overlapSeconds: overlap }), {
    refresh: ['sso'],
    done: (created) => setToken(created.token),
  })
  const revoke = useApiMutation(() => api.sso.scimTokens.revoke.mutate({ id }), {
    refresh: ['sso'],
    done: () => toast('SCIM token revoked'),
  })
  const has = scim.tokenPrefix !== null
  return (
    <Card
      title="4. User provisioning (SCIM)"
      actions={<Badge tone={has ? 'good' : 'plain'}>{has ? 'On' : 'Off'}</Badge>}
    >
      <div className="grid gap-3">
        <div className="grid gap-1">
          <p className="text-muted text-sm">Base URL</p>
          <CopyText text={scim.baseUrl} label="the base URL" wrap />
        </div>
        {has && (
          <p className="text-muted text-sm">
            Token <code>{scim.tokenPrefix}…</code>, created <Ago at={scim.tokenCreatedAt} />, last used{' '}
            <Ago at={scim.lastUsedAt} />
            {scim.previousExpiresAt !== null && (
              <>
                {' '}
                (the previous token expires <Ago at={scim.previousExpiresAt} />)
              </>
            )}
            .
          </p>
        )}
        <span className="flex gap-2">
          <Button blocked={blocked} onClick={() => setOpen('create')}>
            {has ? 'Rotate token' : 'Create token'}
          </Button>
          {has && (
            <Button blocked={blocked} onClick={() => setOpen('revoke')}>
              Revoke token
            </Button>
          )}
        </span>
      </div>
      <Confirm
        open={open === 'create'}
        close={() => setOpen(null)}
        title={has ? 'Rotate the SCIM token?' : 'Create a SCIM token?'}
        verb={has ? 'Rotate token' : 'Create token'}
        act={() => rotate.mutateAsync(undefined)}
      >
        <div className="grid gap-3">
          <p>The token lets its holder add, change and disable the users of this organization. It is shown once.</p>
          {has && <OverlapField label="Previous token expires after" value={overlap} choose={setOverlap} />}
        </div>
      </Confirm>
      <Confirm
        danger
        open={open === 'revoke'}
        close={() => setOpen(null)}
        title="Revoke the SCIM token?"
        verb="Revoke token"
        act={() => revoke.mutateAsync(undefined)}
      >
        The provider can no longer add, change or disable users. Existing users stay as they are.
      </Confirm>
      <ShownOnce title="Your SCIM token" text={token} label="the token" close={() => setToken(null)} />
    </Card>
  )
}
