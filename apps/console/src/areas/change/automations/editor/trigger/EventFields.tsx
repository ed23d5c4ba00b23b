import { opposites } from '@muster/areas/change/automations/triggers/triggers.contract.ts'
import { eventTypes } from '@muster/areas/events.contract.ts'
import { DraftList } from '../../../../../ui/form/DraftList.tsx'
import { AreaField, SelectField, TextField } from '../../../../../ui/form/fields.tsx'
import { OptionList } from '../../../../../ui/form/Select.tsx'
import { spelledOut } from '../../../../../ui/text/words.ts'
import { eventGroup, eventText } from '../../../../watch/eventWords.ts'
import type { TriggerProps } from '../editorProps.ts'
import { fieldsOfEvent, type MatchDraft, newMatch } from './triggerDraft.ts'

const groups = [
  ...Map.groupBy(
    eventTypes.map(({ name }) => name),
    eventGroup,
  ),
]
const matchesMax = 20

/** The event that starts an automation, and which values it has to have. */
export function EventFields({ trigger, faultAt, change }: TriggerProps) {
  const { event, match, forSeconds } = trigger
  const opposite = opposites[event]
  const fault = faultAt('trigger.match')
  const choose = (next: string) =>
    change({ ...trigger, event: next, ...(opposites[next] === undefined && { forSeconds: '0' }) })
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Event"
          hint={<code>{event}</code>}
          error={faultAt('trigger.event')}
          value={event}
          onChange={({ target }) => choose(target.value)}
        >
          {groups.map(([label, names]) => (
            <optgroup key={label} label={label}>
              <OptionList options={names.map((name) => [name, eventText(name)] as const)} />
            </optgroup>
          ))}
        </SelectField>
        <TextField
          label="Lasts for (seconds)"
          hint={
            opposite === undefined
              ? 'Only for events with an opposite, such as device offline'
              : `Runs only if “${eventText(opposite.event)}” does not come within this time`
          }
          error={faultAt('trigger.forSeconds')}
          disabled={opposite === undefined}
          inputMode="numeric"
          value={forSeconds}
          onChange={({ target }) => change({ ...trigger, forSeconds: target.value })}
        />
      </div>
      {match.length === 0 && <p className="text-muted text-sm">Each event of this type starts a run.</p>}
      <DraftList
        noun="match"
        drafts={match}
        full={match.length >= matchesMax && `A trigger has at most ${matchesMax} matches`}
        make={newMatch}
        nameOf={({ field }) => field}
        change={(next) => change({ ...trigger, match: next })}
      >
        {(draft, replace) => <MatchEditor event={event} draft={draft} change={replace} />}
      </DraftList>
      {fault !== undefined && <p className="text-bad-text text-xs">{fault}</p>}
    </>
  )
}

interface MatchProps {
  readonly event: string
  readonly draft: MatchDraft
  change(draft: MatchDraft): void
}

function MatchEditor({ event, draft, change }: MatchProps) {
  const known = fieldsOfEvent(event)
  const names = [...new Set([...known.keys(), 'orgId', 'siteId', 'deviceId', ...(draft.field ? [draft.field] : [])])]
  const among = known.get(draft.field)?.among ?? []
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <SelectField
        label="Field of the event"
        value={draft.field}
        onChange={({ target }) => change({ ...draft, field: target.value })}
      >
        <option value="">Select a field</option>
        <OptionList options={names.map((name) => [name, spelledOut(name)] as const)} />
      </SelectField>
      <AreaField
        label="Is one of"
        rows={2}
        hint={among.length > 0 ? `One on each line: ${among.join(', ')}` : 'One on each line'}
        value={draft.values}
        onChange={({ target }) => change({ ...draft, values: target.value })}
      />
    </div>
  )
}
