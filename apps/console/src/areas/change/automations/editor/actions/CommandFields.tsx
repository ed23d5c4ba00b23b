import { AreaField, SelectField, TextField } from '../../../../../ui/form/fields.tsx'
import { OptionList } from '../../../../../ui/form/Select.tsx'
import { commandWords } from '../../../../control/commands/CommandMark.tsx'
import type { ActionProps } from '../editorProps.ts'
import { automatedCommands, isAutomated, type PayloadField, payloadFields } from './commandFields.ts'

const options = automatedCommands.map((command) => [command, commandWords(command)] as const)

/** The command that an action sends, with what the command is given. */
export function CommandFields({ draft, faultAt, change }: ActionProps) {
  const { command, payload } = draft
  const fields = payloadFields(command, payload)
  const choose = (next: string) => isAutomated(next) && change({ ...draft, command: next, payload: {}, stored: {} })
  return (
    <>
      <SelectField
        label="Command"
        error={faultAt('command')}
        value={command}
        onChange={({ target }) => choose(target.value)}
      >
        <OptionList options={options} />
      </SelectField>
      {fields.length > 0 && (
        <div className="grid gap-3 sm:grid-cols-2">
          {fields.map((field) => (
            <PayloadInput
              key={field.name}
              field={field}
              value={payload[field.name] ?? ''}
              error={faultAt(`payload.${field.name}`)}
              change={(value) => change({ ...draft, payload: { ...payload, [field.name]: value } })}
            />
          ))}
        </div>
      )}
    </>
  )
}

interface Props {
  readonly field: PayloadField
  readonly value: string
  readonly error: string | undefined
  change(value: string): void
}

const truths = [
  ['true', 'On'],
  ['false', 'Off'],
] as const

function PayloadInput({ field: { label, hint, optional = false, type, choices }, value, error, change }: Props) {
  const usual = { label, error, optional, ...(hint !== undefined && { hint }) }
  const among = type === 'boolean' ? truths : choices?.map((each) => [each, each] as const)
  if (among)
    return (
      <SelectField {...usual} value={value || among[0]?.[0]} onChange={({ target }) => change(target.value)}>
        <OptionList options={among} />
      </SelectField>
    )
  if (type === 'lines') return <AreaField {...usual} value={value} onChange={({ target }) => change(target.value)} />
  return (
    <TextField
      {...usual}
      autoComplete="off"
      {...(type === 'number' && { inputMode: 'numeric' as const })}
      value={value}
      onChange={({ target }) => change(target.value)}
    />
  )
}
