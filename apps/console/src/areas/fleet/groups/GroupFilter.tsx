import { FilterExpression } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import type { Group } from '@muster/areas/fleet/groups/groups.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Card } from '../../../ui/page/display.tsx'
import { Refusal } from '../../../ui/page/states.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { draftOf, filterOf, isSound } from '../filters/draft.ts'
import { FilterBuilder } from '../filters/FilterBuilder.tsx'
import { Preview } from '../filters/Preview.tsx'
import { useFields } from '../filters/useFields.ts'

/** The membership rule of a dynamic group, with a preview of its matches before it is saved. */
export function GroupFilter({ group }: { readonly group: Group }) {
  const fields = useFields(group.orgId)
  const saved = FilterExpression.safeParse(group.filter).data
  const [draft, setDraft] = useState(() => draftOf(saved))
  const filter = isSound(draft, fields) ? filterOf(draft) : undefined
  const isSame = JSON.stringify(filter) === JSON.stringify(filterOf(draftOf(saved)))
  const save = useApiMutation(
    (next: NonNullable<typeof filter>) => api.groups.groups.update.mutate({ id: group.id, filter: next }),
    {
      refresh: ['groups'],
      done: ({ deviceCount }) => toast(`Membership rule saved. ${many(deviceCount, 'device')} in the group`),
    },
  )
  const blocked =
    (!useCan()('devices:write') && 'You don’t have permission to edit devices and groups') ||
    (filter === undefined && 'Complete the conditions') ||
    (isSame && 'No changes to save')
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[1fr_22rem]">
      <Card
        title="Membership rule"
        actions={
          <span className="flex gap-2">
            <Button small blocked={isSame && 'No changes to save'} onClick={() => setDraft(draftOf(saved))}>
              Discard changes
            </Button>
            <Button
              small
              kind="primary"
              blocked={blocked}
              busy={save.isPending}
              onClick={() => filter && save.mutate(filter)}
            >
              Save rule
            </Button>
          </span>
        }
      >
        <div className="grid gap-3">
          <FilterBuilder draft={draft} fields={fields} change={setDraft} />
          <Refusal error={save.error} />
        </div>
      </Card>
      <Preview filter={filter} orgId={group.orgId} siteId={group.siteId ?? undefined} />
    </div>
  )
}
