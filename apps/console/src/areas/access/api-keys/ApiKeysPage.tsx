import type { ApiKey } from '@muster/areas/access/api-keys/keys.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { ShownOnce } from '../../../ui/dialog/ShownOnce.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useNewForm } from '../../../ui/list/newForm.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { ApiKeyForm } from './ApiKeyForm.tsx'
import { apiKeyColumns, statusWords } from './apiKeyColumns.tsx'
import { RotateDialog } from './RotateDialog.tsx'

type Open = { readonly what: 'edit' | 'rotate' | 'revoke'; readonly of: ApiKey }
type Shown = ApiKey['status'] | 'all'

/** The API keys. The list shows the active ones unless another status is selected. */
export function ApiKeysPage() {
  const { status = 'active' } = useSearch({ from: '/app/api-keys' })
  const navigate = useNavigate({ from: '/api-keys' })
  const narrow = (next: Shown) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, status: next }), replace: true })
  const { org } = usePlace()
  const me = useMe()
  const [open, setOpen] = useState<Open | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const close = () => setOpen(null)
  const list = useList(
    (client) => client.apiKeys.keys.list,
    { ...(status !== 'all' && { status }), ...(org && { orgId: org }) },
    { everyMs: 30_000 },
  )
  const revoke = useApiMutation((id: string) => api.apiKeys.keys.revoke.mutate({ id }), {
    refresh: ['apiKeys'],
    done: () => toast('API key revoked'),
  })
  const mayWrite = useCan()('settings:write') ? undefined : 'You don’t have permission to edit settings'
  const creation = useNewForm('New API key', mayWrite)
  return (
    <ListPage
      title="API keys"
      lead="Scoped API access for programs."
      actions={creation.button}
      tools={
        <Select
          label="Status"
          none="All statuses"
          value={status === 'all' ? '' : status}
          options={statusWords}
          choose={(next) => narrow(next ?? 'all')}
        />
      }
      label="API keys"
      list={list}
      columns={apiKeyColumns(me.id, mayWrite, (what, of) => setOpen({ what, of }))}
      rowId={({ id }) => id}
      empty={
        <NoRows
          icon={KeyRound}
          title={status === 'active' ? 'No active API keys' : 'No API keys yet'}
          action={creation.button}
          clear={(status === 'expired' || status === 'revoked') && (() => narrow('active'))}
        >
          Create a key for each program, with only the permissions that it needs. Programs send it in the header
          X-API-Key.
        </NoRows>
      }
    >
      {creation.isOpen && <ApiKeyForm close={creation.close} done={setSecret} />}
      {open?.what === 'edit' && <ApiKeyForm apiKey={open.of} close={close} done={setSecret} />}
      {open?.what === 'rotate' && <RotateDialog apiKey={open.of} close={close} done={setSecret} />}
      <Confirm
        danger
        open={open?.what === 'revoke'}
        close={close}
        title={`Revoke “${open?.of.name ?? ''}”?`}
        verb="Revoke key"
        act={() => revoke.mutateAsync(open?.of.id ?? '')}
      >
        Programs that use the key lose access immediately. You cannot undo this.
      </Confirm>
      <ShownOnce title="Your API key" text={secret} label="the key" close={() => setSecret(null)} />
    </ListPage>
  )
}
