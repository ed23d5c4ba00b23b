import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { TextField } from '../../../../ui/fields.tsx'
import { SideForm } from '../../../../ui/SideForm.tsx'
import { toast } from '../../../../ui/toasts.tsx'
import { keyOf } from './registryData.ts'

interface Props {
  readonly deviceId: string
  /** The key that the new one is made in. */
  readonly parent: string
  created(key: string): void
  close(): void
}

/** Creates a registry key. */
export function KeyForm({ deviceId, parent, created, close }: Props) {
  const [name, setName] = useState('')
  const key = `${parent}\\${name.trim()}`
  const save = useApiMutation(
    () => {
      const { hive, path = '' } = keyOf(key)
      return api.systemTools.registry.createKey.mutate({ deviceId, hive, path })
    },
    {
      refresh: ['systemTools.registry'],
      done() {
        toast(`${name.trim()} created`)
        created(key)
      },
    },
  )
  return (
    <SideForm
      open
      close={close}
      title="New key"
      description={`In ${parent}.`}
      verb="Create key"
      busy={save.isPending}
      error={save.error}
      blocked={(name.trim() === '' || name.includes('\\')) && 'Enter a name without a backslash'}
      submit={() => save.mutate(undefined)}
    >
      <TextField autoFocus label="Name" value={name} onChange={({ target }) => setName(target.value)} />
    </SideForm>
  )
}
