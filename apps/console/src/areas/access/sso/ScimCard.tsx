import type { Provider } from '@muster/areas/access/sso/providers.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import { Badge, Card, CopyText } from '../../../ui/display.tsx'
import { OverlapField } from '../../../ui/OverlapField.tsx'
import { ShownOnce } from '../../../ui/ShownOnce.tsx'
import { Ago } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toasts.tsx'

/** The token with which the provider adds, changes and shuts out people by itself. */
export function ScimCard({ provider, blocked }: { readonly provider: Provider; readonly blocked: string | undefined }) {
  const { id, scim } = provider
  const [open, setOpen] = useState<'make' | 'revoke' | null>(null)
  const [overlap, setOverlap] = useState(0)
  const [token, setToken] = useState<string | null>(null)
  const rotate = useApiMutation(() => api.sso.scimTokens.rotate.mutate({ id, overlapSeconds: overlap }), {
    refresh: ['sso'],
    done: (made) => setToken(made.token),
  })
  const revoke = useApiMutation(() => api.sso.scimTokens.revoke.mutate({ id }), {
    refresh: ['sso'],
    done: () => toast('The token is revoked'),
  })
  const has = scim.tokenPrefix !== null
  return (
    <Card
      title="4. Let it manage people (SCIM)"
      actions={<Badge tone={has ? 'good' : 'plain'}>{has ? 'On' : 'Off'}</Badge>}
    >
      <div className="grid gap-3">
        <div className="grid gap-1">
          <p className="text-muted text-sm">Base address</p>
          <CopyText text={scim.baseUrl} label="the base address" wrap />
        </div>
        {has && (
          <p className="text-muted text-sm">
            Token <code>{scim.tokenPrefix}…</code>, made <Ago at={scim.tokenCreatedAt} />, last used{' '}
            <Ago at={scim.lastUsedAt} />
            {scim.previousExpiresAt !== null && (
              <>
                {' '}
                (the one before ends <Ago at={scim.previousExpiresAt} />)
              </>
            )}
            .
          </p>
        )}
        <span className="flex gap-2">
          <Button blocked={blocked} onClick={() => setOpen('make')}>
            {has ? 'Replace the token' : 'Make a token'}
          </Button>
          {has && (
            <Button blocked={blocked} onClick={() => setOpen('revoke')}>
              Revoke
            </Button>
          )}
        </span>
      </div>
      <Confirm
        open={open === 'make'}
        close={() => setOpen(null)}
        title={has ? 'Replace the SCIM token?' : 'Make a SCIM token?'}
        verb={has ? 'Replace' : 'Make'}
        act={() => rotate.mutateAsync(undefined)}
      >
        <div className="grid gap-3">
          <p>Whoever has it can add, change and shut out the people of this organisation. It is shown once.</p>
          {has && <OverlapField label="The present token stays good for" value={overlap} choose={setOverlap} />}
        </div>
      </Confirm>
      <Confirm
        danger
        open={open === 'revoke'}
        close={() => setOpen(null)}
        title="Revoke the SCIM token?"
        verb="Revoke"
        act={() => revoke.mutateAsync(undefined)}
      >
        The provider can add, change and shut out nobody any more. People stay as they are.
      </Confirm>
      <ShownOnce title="Your SCIM token" text={token} label="the token" close={() => setToken(null)} />
    </Card>
  )
}
