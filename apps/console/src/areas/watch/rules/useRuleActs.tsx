import type { AlertRule } from '@muster/areas/watch/alerts/rules/rules.contract.ts'
import { type ReactNode, useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import type { MenuEntry } from '../../../ui/button/Menu.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { messageOf } from '../../../ui/page/states.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { RuleForm } from './RuleForm.tsx'
import { SnoozeForm } from './SnoozeForm.tsx'
import { isSnoozed } from './snooze.ts'

type What = 'edit' | 'snooze' | 'delete'

export interface RuleActs {
  /** Why rules cannot be edited. */
  readonly mayWrite: string | undefined
  /** The dialogs that the actions open. */
  readonly dialogs: ReactNode
  open(what: What, rule: AlertRule): void
  groupsFor(rule: AlertRule): readonly (readonly MenuEntry[])[]
}

/** What can be done with a rule, in lists and on its page. @param removed called after a rule was deleted */
export function useRuleActs(removed?: () => void): RuleActs {
  const [shown, setShown] = useState<{ readonly what: What; readonly of: AlertRule } | null>(null)
  const close = () => setShown(null)
  const open = (what: What, of: AlertRule) => setShown({ what, of })
  const mayWrite = useCan()('alerts:write') ? undefined : 'You don’t have permission to edit alert rules'
  const refresh = ['alerts', 'alertTemplates']
  type Change = Parameters<typeof api.alerts.rules.update.mutate>[0]
  const change = useApiMutation((given: Change) => api.alerts.rules.update.mutate(given), {
    refresh,
    done: () => toast('Rule saved'),
  })
  const remove = useApiMutation((id: string) => api.alerts.rules.remove.mutate({ id }), {
    refresh,
    done() {
      toast('Rule deleted')
      removed?.()
    },
  })
  const apply = (given: Change) => change.mutate(given, { onError: (error) => toast(messageOf(error), { bad: true }) })
  const of = shown?.of
  const isShown = (what: What) => shown?.what === what
  return {
    mayWrite,
    open,
    groupsFor: (rule) => [
      [
        { label: 'Edit rule', blocked: mayWrite, act: () => open('edit', rule) },
        {
          label: rule.enabled ? 'Disable rule' : 'Enable rule',
          blocked: mayWrite,
          act: () => apply({ id: rule.id, enabled: !rule.enabled }),
        },
        isSnoozed(rule)
          ? { label: 'End snooze', blocked: mayWrite, act: () => apply({ id: rule.id, snoozedUntil: null }) }
          : { label: 'Snooze rule', blocked: mayWrite, act: () => open('snooze', rule) },
        ...(rule.templateId !== null && rule.overrides.some((field) => field !== 'name')
          ? [
              {
                label: 'Follow template again',
                blocked: mayWrite,
                act: () => apply({ id: rule.id, templateId: rule.templateId }),
              },
            ]
          : []),
      ],
      [{ label: 'Delete rule', danger: true, blocked: mayWrite, act: () => open('delete', rule) }],
    ],
    dialogs: (
      <>
        {of && isShown('edit') && <RuleForm rule={of} close={close} />}
        {of && isShown('snooze') && <SnoozeForm rule={of} close={close} />}
        <Confirm
          danger
          open={isShown('delete')}
          close={close}
          title={`Delete “${of?.name ?? ''}”?`}
          verb="Delete rule"
          act={() => remove.mutateAsync(of?.id ?? '')}
        >
          {of && of.openAlerts > 0 ? `Its ${many(of.openAlerts, 'open alert')} are resolved. ` : ''}
          You cannot undo this.
        </Confirm>
      </>
    ),
  }
}
