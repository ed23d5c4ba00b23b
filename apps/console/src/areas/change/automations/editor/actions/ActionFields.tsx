import type { OnFailure } from '@muster/areas/change/automations/runs/actions/actions.contract.ts'
import { ChoiceField } from '../../../../../ui/form/ChoiceField.tsx'
import { AreaField, TextField } from '../../../../../ui/form/fields.tsx'
import { actionTypes } from '../../actionWords.ts'
import { failureChoices } from '../../words.tsx'
import type { ActionProps } from '../editorProps.ts'
import { CommandFields } from './CommandFields.tsx'
import { DeployFields } from './DeployFields.tsx'
import { AlertFields, NotifyFields } from './MessageFields.tsx'
import { ScriptFields } from './ScriptFields.tsx'
import { ValueFields } from './ValueFields.tsx'

const onFailures: readonly (readonly [OnFailure | '', string])[] = [['', 'As the automation says'], ...failureChoices]

/** One action: its type, what this type needs, and what becomes of failures. */
export function ActionFields(props: ActionProps) {
  const { draft, faultAt, change } = props
  const number = (part: 'retries' | 'retryDelaySeconds', label: string) => (
    <TextField
      label={label}
      error={faultAt(part)}
      inputMode="numeric"
      value={draft[part]}
      onChange={({ target }) => change({ ...draft, [part]: target.value })}
    />
  )
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <ChoiceField
          label="Action"
          error={faultAt('type')}
          value={draft.type}
          options={actionTypes}
          choose={(type) => change({ ...draft, type })}
        />
        <ChoiceField
          label="When it fails"
          value={draft.onFailure}
          options={onFailures}
          choose={(onFailure) => change({ ...draft, onFailure })}
        />
      </div>
      <OwnFields {...props} />
      <div className="grid gap-3 sm:grid-cols-2">
        {number('retries', 'Retries')}
        {Number(draft.retries) > 0 && number('retryDelaySeconds', 'Between retries (seconds)')}
      </div>
    </>
  )
}

/** What only actions of this type have. */
function OwnFields(props: ActionProps) {
  const { draft, faultAt, change } = props
  switch (draft.type) {
    case 'run_script':
      return <ScriptFields {...props} />
    case 'command':
      return <CommandFields {...props} />
    case 'deploy':
      return <DeployFields {...props} />
    case 'set_field':
      return <ValueFields {...props} />
    case 'add_tag':
    case 'remove_tag':
      return (
        <TextField
          label="Tag"
          error={faultAt('tag')}
          value={draft.tag}
          onChange={({ target }) => change({ ...draft, tag: target.value })}
        />
      )
    case 'notify':
      return <NotifyFields {...props} />
    case 'create_alert':
      return <AlertFields {...props} />
    case 'webhook':
      return <RequestFields {...props} />
    case 'wait':
    case 'wait_online':
      return (
        <TextField
          label={draft.type === 'wait' ? 'Seconds' : 'At most (seconds)'}
          {...(draft.type === 'wait_online' && { hint: 'Devices that are not online by then fail' })}
          error={faultAt('seconds')}
          inputMode="numeric"
          value={draft.seconds}
          onChange={({ target }) => change({ ...draft, seconds: target.value })}
        />
      )
  }
}

function RequestFields({ draft, faultAt, change }: ActionProps) {
  return (
    <>
      <TextField
        label="Address"
        hint="Such as https://example.com/hook. The request is a POST."
        error={faultAt('url')}
        value={draft.url}
        onChange={({ target }) => change({ ...draft, url: target.value })}
      />
      <AreaField
        label="Headers"
        optional
        hint="One “Name: value” per line. Values are secret: *** keeps the stored one."
        error={faultAt('headers')}
        value={draft.headers}
        onChange={({ target }) => change({ ...draft, headers: target.value })}
      />
      <AreaField
        label="Body"
        optional
        error={faultAt('body')}
        value={draft.body}
        onChange={({ target }) => change({ ...draft, body: target.value })}
      />
    </>
  )
}
