import { DraftList } from '../../../../../ui/form/DraftList.tsx'
import type { DraftProps } from '../editorProps.ts'
import { ActionFields } from './ActionFields.tsx'
import { newAction } from './actionDraft.ts'

const actionsMax = 50
const examples = ['{{ device.hostname }}', '{{ event.severity }}', '{{ body.ticket }}']

/** The actions in their order. */
export function ActionList({ draft: { actions }, orgId, faultAt, set }: DraftProps) {
  return (
    <>
      <p className="text-muted text-sm">
        An action begins when the one before has ended on all devices. Texts can take values:{' '}
        {examples.map((example, index) => (
          <span key={example}>
            {index > 0 && ', '}
            <code>{example}</code>
          </span>
        ))}
        .
      </p>
      <DraftList
        noun="action"
        isOrdered
        drafts={actions}
        full={actions.length >= actionsMax && `An automation has at most ${actionsMax} actions`}
        make={newAction}
        change={(next) => set({ actions: next })}
      >
        {(action, replace, index) => (
          <ActionFields
            draft={action}
            orgId={orgId}
            faultAt={(name) => faultAt(name === '' ? `actions.${index}` : `actions.${index}.${name}`)}
            change={replace}
          />
        )}
      </DraftList>
    </>
  )
}
