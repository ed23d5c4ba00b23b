import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { TextField } from '../../../../ui/form/fields.tsx'
import { keyOf, type View } from './registryData.ts'

interface Props {
  readonly deviceId: string
  /** The key that the new one is made in. */
  readonly parent: string
  readonly view: View
  created(key: string): void
  close(): void
}

/** Creates a registry key. */
export function KeyForm({ deviceId, parent, view, created, close }: Props) {
  const [name, setName] = useState('')
  const key = `${parent}\\${name.trim()}`
  const save = useApiMutation(
    () => {
      const { hive, path = '' } = keyOf(key)
      return api.systemTools.registry.createKey.mutate({ deviceId, hive, path, view })
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
