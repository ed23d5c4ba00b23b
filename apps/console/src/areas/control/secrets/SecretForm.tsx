import type { Secret } from '@muster/areas/control/secrets/secrets.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useFullList } from '../../../queries.ts'
import { usePlace } from '../../../shell/place.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { AreaField, CheckField, Options, SelectField, TextField } from '../../../ui/form/fields.tsx'
import { OwnerField } from '../../tenancy/tenancy/organizations/OwnerField.tsx'
import { useOwner } from '../../tenancy/tenancy/organizations/useOwner.ts'

interface Props {
  /** The secret to edit. A new one is created without it. */
  readonly secret?: Secret
  /** Its value alone is changed. */
  readonly replacesValue?: boolean
  close(): void
}

/** The name, the owner and the value of a secret. The owner cannot change later. */
export function SecretForm({ secret, replacesValue = false, close }: Props) {
  const { org, site } = usePlace()
  const owner = useOwner(secret)
  const { orgId } = owner
  const [siteId, setSite] = useState(() => (secret ? secret.siteId : org ? (site ?? null) : null))
  const [name, setName] = useState(secret?.name ?? '')
  const [description, setDescription] = useState(secret?.description ?? '')
  const [isShared, setShared] = useState(secret?.sharedWithOrganizations ?? false)
  const [value, setValue] = useState('')
  const asksValue = secret === undefined || replacesValue
  const save = useApiMutation(
    () => {
      if (secret && replacesValue) return api.secrets.secrets.update.mutate({ id: secret.id, value })
      const about = {
        ...{ name: name.trim(), description: description.trim() || null },
        ...(orgId === null && { sharedWithOrganizations: isShared }),
      }
      return secret
        ? api.secrets.secrets.update.mutate({ id: secret.id, ...about })
        : api.secrets.secrets.create.mutate({ ...about, value, orgId, siteId })
    },
    {
      refresh: ['secrets'],
      done() {
        toast(replacesValue ? 'Value replaced' : 'Secret saved')
        close()
      },
    },
  )
  const missing = name.trim() === '' ? 'Enter a name' : asksValue && value === '' ? 'Enter a value' : undefined
  return (
    <SideForm
      open
      close={close}
      title={replacesValue ? `Replace the value of ${name}` : secret ? `Edit ${secret.name}` : 'New secret'}
      verb={replacesValue ? 'Replace value' : secret ? 'Save secret' : 'Create secret'}
      busy={save.isPending}
      blocked={missing ?? owner.fault}
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      {!replacesValue && (
        <>
          <TextField
            label="Name"
            hint="Scripts name it. Letters, digits, “.”, “_” and “-”."
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <OwnerField
            {...owner}
            choose={(next) => {
              owner.choose(next)
              setSite(null)
            }}
          />
          <SiteField orgId={orgId} siteId={siteId} isFixed={secret !== undefined} choose={setSite} />
          <TextField
            label="Description"
            optional
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
          {orgId === null && (
            <CheckField
              label="Organizations can use it"
              hint="A person who runs a script with it can read the value on the machine."
              checked={isShared}
              onChange={setShared}
            />
          )}
        </>
      )}
      {asksValue && (
        <AreaField
          label="Value"
          hint="At most 8,192 bytes. It is stored encrypted, and no person can read it again."
          rows={4}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={({ target }) => setValue(target.value)}
        />
      )}
    </SideForm>
  )
}

interface SiteProps {
  readonly orgId: string | null
  readonly siteId: string | null
  readonly isFixed: boolean
  choose(siteId: string | null): void
}

/** The nearest secret of a name wins: that of the site, then that of the organization. */
function SiteField({ orgId, siteId, isFixed, choose }: SiteProps) {
  const of = { orgId: orgId ?? '' }
  const sites = useFullList((client) => client.tenancy.sites.list, of, { enabled: orgId !== null }).data ?? []
  return (
    <SelectField
      label="Site"
      disabled={isFixed || orgId === null}
      value={siteId ?? ''}
      onChange={({ target }) => choose(target.value || null)}
    >
      <option value="">All sites</option>
      <Options of={sites} />
    </SelectField>
  )
}
