import { ChoiceField } from '../../../../../ui/form/ChoiceField.tsx'
import { triggerTypes } from '../../words.tsx'
import type { TriggerProps } from '../editorProps.ts'
import { EventFields } from './EventFields.tsx'
import { ScheduleFields } from './ScheduleFields.tsx'

/** What starts an automation. */
export function TriggerFields(props: TriggerProps) {
  const { trigger, change } = props
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <ChoiceField
          label="Started by"
          value={trigger.type}
          options={triggerTypes}
          choose={(type) => change({ ...trigger, type })}
        />
      </div>
      {trigger.type === 'schedule' && <ScheduleFields {...props} />}
      {trigger.type === 'event' && <EventFields {...props} />}
      {trigger.type === 'webhook' && (
        <p className="text-muted text-sm">
          The page of the automation has the address. The secret that signs requests is shown once, after you save.
        </p>
      )}
      {trigger.type === 'manual' && (
        <p className="text-muted text-sm">It runs only when a person starts it, or a program over the API.</p>
      )}
    </>
  )
}
