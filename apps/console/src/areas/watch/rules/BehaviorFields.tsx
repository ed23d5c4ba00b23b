import { AreaField, CheckField, TextField } from '../../../ui/form/fields.tsx'
import { type BehaviorDraft, variables } from './behavior.ts'

interface Props {
  readonly draft: BehaviorDraft
  set(part: Partial<BehaviorDraft>): void
}

const times = [
  ['forSeconds', 'Opens after (seconds)', 'How long the condition has to hold.'],
  ['clearForSeconds', 'Clears after (seconds)', 'How long it has to be over.'],
  ['reopenSeconds', 'Reopens within (seconds)', 'Later it is a new alert.'],
] as const

/** When alerts open, resolve and reopen. */
export function TimingFields({ draft, set }: Props) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        {times.map(([name, label, hint]) => (
          <TextField
            key={name}
            label={label}
            hint={hint}
            type="number"
            min={0}
            max={86_400}
            value={draft[name]}
            onChange={({ target }) => set({ [name]: target.value })}
          />
        ))}
      </div>
      <CheckField
        label="Resolve alerts when the condition ends"
        checked={draft.autoResolve}
        onChange={(autoResolve) => set({ autoResolve })}
      />
    </>
  )
}

interface TextsProps extends Props {
  /** The parameters of a template, which are variables too. */
  readonly parameters?: readonly string[]
}
const none: readonly string[] = []

/** Title and message of alerts, with the variables that they can contain. */
export function AlertTextFields({ draft, set, parameters = none }: TextsProps) {
  const all = [...variables, ...parameters.map((name) => [`parameters.${name}`, 'Parameter'] as const)]
  return (
    <>
      <TextField
        label="Alert title"
        optional
        hint="Empty: the name of the rule and of the device."
        value={draft.title}
        onChange={({ target }) => set({ title: target.value })}
      />
      <AreaField
        label="Alert message"
        optional
        value={draft.message}
        onChange={({ target }) => set({ message: target.value })}
      />
      <details className="text-sm">
        <summary className="cursor-pointer rounded font-medium text-accent-text">Variables</summary>
        <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          {all.map(([name, meaning]) => (
            <div key={name} className="contents">
              <dt>
                <code>{`{{ ${name} }}`}</code>
              </dt>
              <dd className="text-muted">{meaning}</dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  )
}
