import type { ApiKey } from '@muster/areas/access/api-keys/keys.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import { DataTable } from '../../../ui/DataTable.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { Select } from '../../../ui/Select.tsx'
import { ShownOnce } from '../../../ui/ShownOnce.tsx'
import { Note } from '../../../ui/states.tsx'
import { toast } from '../../../ui/toasts.tsx'
import { ApiKeyForm } from './ApiKeyForm.tsx'
import { apiKeyColumns, statusWords } from './apiKeyColumns.tsx'
import { RotateDialog } from './RotateDialog.tsx'

const limit = 50
type Open = { readonly what: 'edit' | 'rotate' | 'revoke'; readonly of: ApiKey }

/** The keys with which programs act in a person's name. */
export function ApiKeysPage() {
  const { page = 1, status, form } = useSearch({ from: '/app/api-keys' })
  const navigate = useNavigate({ from: '/api-keys' })
  const { org } = usePlace()
  const me = useMe()
  const [open, setOpen] = useState<Open | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const close = () => setOpen(null)
  const change = (next: { status?: ApiKey['status']; form?: 'new'; page?: number }) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: true })
  const answer = useApiQuery(
    (client) => client.apiKeys.keys.list,
    { page, limit, ...(status && { status }), ...(org && { orgId: org }) },
    { keepLast: true, everyMs: 30_000 },
  )
  const revoke = useApiMutation((id: string) => api.apiKeys.keys.revoke.mutate({ id }), {
    refresh: ['apiKeys'],
    done: () => toast('The key is revoked'),
  })
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  const mayWrite = useCan()('settings:write') ? undefined : 'You need the permission to change settings'
  const columns = apiKeyColumns(me.id, mayWrite, (what, of) => setOpen({ what, of }))
  const add = (
    <Button kind="primary" blocked={mayWrite} onClick={() => change({ form: 'new' })}>
      <Plus aria-hidden className="size-4" />
      New API key
    </Button>
  )
  return (
    <Page fill title="API keys" lead="With a key a program does what you may do, or a part of it." actions={add}>
      <div className="mb-3 flex flex-wrap gap-2">
        <Select
          label="Status"
          none="Every status"
          value={status ?? ''}
          options={statusWords}
          choose={(next) => change({ status: next, page: undefined })}
        />
      </div>
      <DataTable
        label="API keys"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        total={pagination.total}
        empty={
          <Note icon={KeyRound} title={status ? 'None is like that' : 'No API keys yet'} action={add}>
            Make one for each program, with no more permissions than it needs, and send it as the header X-API-Key.
          </Note>
        }
        footer={<Pages {...pagination} set={(next) => change({ page: next > 1 ? next : undefined })} />}
      />
      {form === 'new' && <ApiKeyForm close={() => change({ form: undefined })} made={setSecret} />}
      {open?.what === 'edit' && <ApiKeyForm apiKey={open.of} close={close} made={setSecret} />}
      {open?.what === 'rotate' && <RotateDialog apiKey={open.of} close={close} made={setSecret} />}
      <Confirm
        danger
        open={open?.what === 'revoke'}
        close={close}
        title={`Revoke “${open?.of.name ?? ''}”?`}
        verb="Revoke"
        act={() => revoke.mutateAsync(open?.of.id ?? '')}
      >
        Programs that use it are refused from this moment on. It cannot be taken back; make another key if need be.
      </Confirm>
      <ShownOnce title="Your API key" text={secret} label="the key" close={() => setSecret(null)} />
    </Page>
  )
}
