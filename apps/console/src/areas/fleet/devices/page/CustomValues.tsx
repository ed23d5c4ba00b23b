import type { CustomField } from '@muster/areas/fleet/custom-fields/custom-fields.contract.ts'
import { faultOfValue } from '@muster/areas/fleet/custom-fields/values.rules.ts'
import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation, useFullList } from '../../../../queries.ts'
import { useCan } from '../../../../session/session.tsx'
import { IconButton } from '../../../../ui/button/Button.tsx'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { CheckField, SelectField, TextField } from '../../../../ui/form/fields.tsx'
import { Card, Facts } from '../../../../ui/page/display.tsx'
import { localMoment, momentOf } from '../../../../ui/text/localMoment.ts'
import { customText } from '../list/customFields.tsx'

type Value = string | number | boolean | null

/** Shows and edits the custom fields of a device. */
export function CustomValues({ device }: { readonly device: DeviceDetail }) {
  const { data } = useFullList(
    (client) => client.customFields.customFields.list,
    { orgId: device.orgId },
    { staleMs: 60_000 },
  )
  const can = useCan()
  const [isOpen, setOpen] = useState(false)
  const fields = data ?? []
  if (fields.length === 0) return null
  const blocked = !can('devices:write') && 'You don’t have permission to edit devices'
  return (
    <Card
      title="Custom fields"
      actions={
        <IconButton small label="Edit custom fields" blocked={blocked} onClick={() => setOpen(true)}>
          <Pencil aria-hidden className="size-4" />
        </IconButton>
      }
    >
      <Facts
        facts={fields.map((field) => [
          field.label,
          customText(device.customFields[field.key]) ?? <Unset key={field.key} />,
        ])}
      />
      {isOpen && <ValuesForm device={device} fields={fields} close={() => setOpen(false)} />}
    </Card>
  )
}

const Unset = () => <span className="text-muted">not set</span>

const asValue = (given: unknown): Value =>
  typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean' ? given : null

interface FormProps {
  readonly device: DeviceDetail
  readonly fields: readonly CustomField[]
  close(): void
}
function ValuesForm({ device, fields, close }: FormProps) {
  const [values, setValues] = useState<Record<string, Value>>(() =>
    Object.fromEntries(fields.map(({ key }) => [key, asValue(device.customFields[key])])),
  )
  const [faults, setFaults] = useState<Record<string, string>>({})
  const save = useApiMutation(
    (changed: Record<string, Value>) =>
      api.customFields.customFields.setValues.mutate({ id: device.id, values: changed }),
    {
      refresh: ['devices.devices'],
      done: () => {
        toast('Custom fields saved')
        close()
      },
    },
  )
  const submit = () => {
    const wrong = fields.flatMap((field) => {
      const fault = faultOfValue(field, values[field.key] ?? null)
      return fault === null ? [] : [[field.key, fault] as const]
    })
    setFaults(Object.fromEntries(wrong))
    const changed = Object.entries(values).filter(([key, value]) => value !== asValue(device.customFields[key]))
    if (wrong.length > 0) return
    if (changed.length === 0) close()
    else save.mutate(Object.fromEntries(changed))
  }
  return (
    <SideForm
      open
      close={close}
      title="Custom fields"
      description="Empty fields are removed."
      verb="Save"
      busy={save.isPending}
      error={save.error}
      submit={submit}
    >
      {fields.map((field) => (
        <ValueField
          key={field.key}
          field={field}
          value={values[field.key] ?? null}
          error={faults[field.key]}
          change={(value) => setValues((now) => ({ ...now, [field.key]: value }))}
        />
      ))}
    </SideForm>
  )
}

interface FieldProps {
  readonly field: CustomField
  readonly value: Value
  readonly error: string | undefined
  change(value: Value): void
}
function ValueField({ field, value, error, change }: FieldProps) {
  const { type, label, description, required, options } = field
  const told = { label, error, optional: !required, ...(description ? { hint: description } : {}) }
  if (type === 'boolean') return <CheckField label={label} checked={value === true} onChange={change} />
  if (type === 'choice')
    return (
      <SelectField {...told} value={String(value ?? '')} onChange={({ target }) => change(target.value || null)}>
        <option value="">None</option>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </SelectField>
    )
  if (type === 'time')
    return (
      <TextField
        {...told}
        type="datetime-local"
        value={typeof value === 'string' ? localMoment(value) : ''}
        onChange={({ target }) => change(momentOf(target.value))}
      />
    )
  return (
    <TextField
      {...told}
      type={type === 'number' ? 'number' : 'text'}
      step="any"
      value={String(value ?? '')}
      onChange={({ target }) =>
        change(target.value === '' ? null : type === 'number' ? Number(target.value) : target.value)
      }
    />
  )
}
