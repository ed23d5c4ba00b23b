import { useFullList } from '../../../../../queries.ts'
import { CheckList } from '../../../../../ui/form/CheckList.tsx'
import { AreaField, TextField } from '../../../../../ui/form/fields.tsx'
import { SeverityField } from '../../../../watch/alerts/SeverityField.tsx'
import type { ActionProps } from '../editorProps.ts'

/** Whom an action notifies, and of what. */
export function NotifyFields(props: ActionProps) {
  const { draft, orgId, faultAt, change } = props
  const channels = useFullList((api) => api.alertChannels.channels.list, orgId === null ? {} : { orgId }).data ?? []
  return (
    <>
      <TextFields {...props} />
      <CheckList
        label="Channels"
        hint="Without channels, the owner of the automation gets a notification."
        error={faultAt('channelIds')}
        choices={channels.map(({ id, name }) => ({ id, label: name }))}
        chosen={draft.channelIds}
        change={(channelIds) => change({ ...draft, channelIds })}
      />
    </>
  )
}

/** The alert that an action creates. */
export const AlertFields = (props: ActionProps) => (
  <>
    <SeverityField value={props.draft.severity} choose={(severity) => props.change({ ...props.draft, severity })} />
    <TextFields {...props} />
  </>
)

function TextFields({ draft, faultAt, change }: ActionProps) {
  return (
    <>
      <TextField
        label="Title"
        error={faultAt('title')}
        value={draft.title}
        onChange={({ target }) => change({ ...draft, title: target.value })}
      />
      <AreaField
        label="Message"
        optional
        error={faultAt('message')}
        value={draft.message}
        onChange={({ target }) => change({ ...draft, message: target.value })}
      />
    </>
  )
}
