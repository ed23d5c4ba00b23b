import type { Organization } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { CheckField } from '../../../../ui/form/fields.tsx'
import { Card } from '../../../../ui/page/display.tsx'
import { toastError } from '../../../../ui/page/states.tsx'

interface Rules {
  readonly requireMfa: boolean
  readonly sms: boolean
}

const at = (value: unknown, name: string): unknown =>
  value !== null && typeof value === 'object' && name in value
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined

/** The security settings that the service reads. SMS is allowed unless it is switched off. */
function rulesOf({ settings }: Organization): Rules {
  const { security } = settings
  return {
    requireMfa: at(security, 'requireMfa') === true,
    sms: at(at(security, 'allowedMfaMethods'), 'sms') !== false,
  }
}

/** The MFA rules for the users of an organization. */
export function SecurityCard({
  organization,
  blocked,
}: {
  readonly organization: Organization
  readonly blocked: boolean
}) {
  const { id } = organization
  const rules = rulesOf(organization)
  const save = useApiMutation(
    ({ requireMfa, sms }: Rules) =>
      api.tenancy.organizations.update.mutate({
        id,
        settings: { security: { requireMfa, allowedMfaMethods: { sms } } },
      }),
    {
      refresh: ['tenancy.organizations'],
      done: () => toast('Sign-in rules saved', { undo: () => save.mutate(rules) }),
    },
  )
  const set = (next: Partial<Rules>) => save.mutate({ ...rules, ...next }, { onError: toastError })
  return (
    <Card title="Sign-in">
      <div className="grid gap-3">
        <CheckField
          label="Require MFA for everyone"
          hint="Users without MFA set it up before they continue, also in open sessions."
          checked={rules.requireMfa}
          disabled={blocked || save.isPending}
          onChange={(requireMfa) => set({ requireMfa })}
        />
        <CheckField
          label="Allow codes by SMS"
          hint="SMS can be intercepted. Without it, users need an authenticator app or a passkey."
          checked={rules.sms}
          disabled={blocked || save.isPending}
          onChange={(sms) => set({ sms })}
        />
      </div>
    </Card>
  )
}
