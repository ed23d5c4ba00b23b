import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { Confirm } from '../../../../ui/dialog/Confirm.tsx'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { AreaField, SelectField, TextField } from '../../../../ui/form/fields.tsx'
import { Facts } from '../../../../ui/page/display.tsx'
import { dataOf, faultOf, isType, type Place, shownData, type Type, textOf, types, type Value } from './registryData.ts'

interface Props {
  readonly deviceId: string
  readonly place: Place
  /** The value to edit. A new one is created without it. */
  readonly value: Value | undefined
  close(): void
}

const hints: Readonly<Partial<Record<Type, string>>> = {
  REG_EXPAND_SZ: 'Variables such as %SystemRoot% are replaced when a program reads the value',
  REG_MULTI_SZ: 'One text per line',
  REG_DWORD: 'Decimal, or hexadecimal as 0x1F',
  REG_QWORD: 'Decimal, or hexadecimal as 0x1F',
  REG_BINARY: 'The bytes as 01 02 ff, or in base64',
}

/** Creates or edits a value of a registry key. */
export function ValueForm({ deviceId, place, value, close }: Props) {
  const [name, setName] = useState(value?.name ?? '')
  const [type, setType] = useState<Type>(value && isType(value.type) ? value.type : 'REG_SZ')
  const [text, setText] = useState(value ? textOf(value) : '')
  const [isAsking, setAsking] = useState(false)
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
  if (value && isAsking)
    return (
      <Confirm
        open
        close={() => setAsking(false)}
        title={`Change ${value.name || 'the default value'}?`}
        verb="Save value"
        act={() => save.mutateAsync(undefined)}
      >
        <p className="mb-3 break-all">
          {place.hive}\{place.path}
        </p>
        <Facts
          facts={[
            ['Type', value.type === type ? type : `${value.type} → ${type}`],
            ['Old data', <Data key="old" value={value} />],
            ['New data', <Data key="new" value={{ type, data: dataOf(type, text) }} />],
          ]}
        />
      </Confirm>
    )
  return (
    <SideForm
      open
      close={close}
      title={value ? `Edit ${value.name || 'the default value'}` : 'New value'}
      description={`In ${place.hive}\\${place.path}. Programs read it the next time that they ask for it.`}
      verb={value ? 'Review change' : 'Create value'}
      busy={save.isPending}
      error={save.error}
      blocked={fault}
      submit={() => (value ? setAsking(true) : save.mutate(undefined))}
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

const Data = ({ value }: { readonly value: Parameters<typeof shownData>[0] }) => (
  <span className="block max-h-40 overflow-auto break-all font-mono text-ink text-xs">
    {shownData(value) || '(empty)'}
  </span>
)
