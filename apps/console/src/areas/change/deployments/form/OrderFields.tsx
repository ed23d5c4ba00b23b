import { QueuedCommand } from '@muster/areas/control/commands/commands.contract.ts'
import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { AreaField, Options, SelectField } from '../../../../ui/form/fields.tsx'
import { capital } from '../../../../ui/text/words.ts'
import { ValueFields } from '../../scripts/runs/ValueFields.tsx'
import { isJson, type OrderDraft, type Parameterized, valuesIn } from './deploymentDraft.ts'

const kinds = [
  ['script', 'Script'],
  ['command', 'Command'],
] as const

const commands = QueuedCommand.options.map((type) => [type, capital(type.replaceAll('_', ' '))] as const)

interface Props {
  readonly draft: OrderDraft
  /** Those that can be chosen. */
  readonly scripts: readonly { readonly id: string; readonly name: string }[]
  /** The chosen one. */
  readonly script: Parameterized | undefined
  change(draft: OrderDraft): void
}

/** What devices are sent. */
export function OrderFields({ draft, scripts, script, change }: Props) {
  const set = (part: Partial<OrderDraft>) => change({ ...draft, ...part })
  if (draft.kind === 'kept') return <p className="text-muted text-sm">The order stays as it is.</p>
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <ChoiceField label="Kind of order" value={draft.kind} options={kinds} choose={(kind) => set({ kind })} />
        {draft.kind === 'script' ? (
          <SelectField
            label="Script"
            value={draft.scriptId}
            onChange={({ target }) => set({ scriptId: target.value, values: {} })}
          >
            <option value="">Select one</option>
            <Options of={scripts} />
          </SelectField>
        ) : (
          <ChoiceField
            label="Command"
            value={draft.command}
            options={commands}
            choose={(command) => set({ command })}
          />
        )}
      </div>
      {draft.kind === 'script' && script !== undefined && (
        <ValueFields
          parameters={script.parameters}
          drafts={valuesIn(draft, script)}
          takesFields
          change={(values) => set({ values })}
        />
      )}
      {draft.kind === 'command' && (
        <AreaField
          label="Payload"
          hint="A JSON object, as the API takes it"
          error={isJson(draft.payload) ? undefined : 'Enter a JSON object'}
          spellCheck={false}
          className="font-mono"
          value={draft.payload}
          onChange={({ target }) => set({ payload: target.value })}
        />
      )}
    </>
  )
}
