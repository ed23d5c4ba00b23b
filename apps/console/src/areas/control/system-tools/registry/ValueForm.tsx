import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { AreaField, SelectField, TextField } from '../../../../ui/fields.tsx'
import { SideForm } from '../../../../ui/SideForm.tsx'
import { toast } from '../../../../ui/toasts.tsx'
import { dataOf, faultOf, type Hive, isType, type Type, textOf, types, type Value } from './registryData.ts'

interface Props {
  readonly deviceId: string
  readonly place: { readonly hive: Hive; readonly path: string }
  /** The value to edit. A new one is created without it. */
  readonly value: Value | undefined
  close(): void
}

const hints: Readonly<Partial<Record<Type, string>>> = {
  REG_EXPAND_SZ: 'Variables such as %SystemRoot% are replaced when a program reads the value',
  REG_MULTI_SZ: 'One text per line',
  REG_BINARY: 'The bytes in base64',
}

/** Creates or edits a value of a registry key. */
export function ValueForm({ deviceId, place, value, close }: Props) {
  const [name, setName] = useState(value?.name ?? '')
  const [type, setType] = useState<Type>(value && isType(value.type) ? value.type : 'REG_SZ')
  const [text, setText] = useState(value ? textOf(value.data) : '')
  const fault = faultOf(type, text)
  const save = useApiMutation(
    () =>
      api.systemTools.registry.setValue.mutate({
        deviceId,
        ...place,
        name: name.trim(),
        type,
        data: dataOf(type, text),
      }),
    {
      refresh: ['systemTools.registry'],
      done() {
        toast(`${name.trim() || 'The default value'} saved`)
        close()
      },
    },
  )
  const data = {
    label: 'Data',
    hint: hints[type],
    error: text === '' ? undefined : fault,
    value: text,
  }
  return (
    <SideForm
      open
      close={close}
      title={value ? `Edit ${value.name || 'the default value'}` : 'New value'}
      description={`In ${place.hive}\\${place.path}. Programs read it the next time that they ask for it.`}
      verb={value ? 'Save value' : 'Create value'}
      busy={save.isPending}
      error={save.error}
      blocked={fault}
      submit={() => save.mutate(undefined)}
    >
      {!value && (
        <TextField
          label="Name"
          optional
          hint="Without a name it is the key’s default value"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      )}
      <SelectField label="Type" value={type} onChange={({ target }) => isType(target.value) && setType(target.value)}>
        {types.map(([each, label]) => (
          <option key={each} value={each}>
            {label} ({each})
          </option>
        ))}
      </SelectField>
      {type === 'REG_MULTI_SZ' ? (
        <AreaField {...data} rows={6} onChange={({ target }) => setText(target.value)} />
      ) : (
        <TextField {...data} onChange={({ target }) => setText(target.value)} />
      )}
    </SideForm>
  )
}
