import type { Policy } from '@muster/areas/change/device-policies/policies.contract.ts'
import { Link } from '@tanstack/react-router'
import { Card, Facts } from '../../../../ui/page/display.tsx'
import { Figures } from '../../../../ui/page/Figures.tsx'
import { count, many } from '../../../../ui/text/quantity.ts'
import { Moment } from '../../../../ui/text/time.tsx'
import { useUserNames } from '../../../access/users/useUserNames.ts'
import { conditionsIn } from '../../../fleet/filters/draft.ts'
import { OrganizationLink } from '../../../tenancy/tenancy/PlaceLinks.tsx'
import { systemsText } from '../../scripts/words.tsx'
import { AssignmentList } from '../AssignmentList.tsx'
import { ComplianceBar } from '../ComplianceBar.tsx'
import { settingsOf, settingText, settingWords } from '../settings.ts'
import { modeHints } from '../words.tsx'
import { RequirementList } from './RequirementList.tsx'

/** What a policy requires of which devices, and how many comply. */
export function OverviewTab({ policy }: { readonly policy: Policy }) {
  return (
    <div className="grid gap-4">
      {policy.status === 'active' && <Summary policy={policy} />}
      <div className="grid items-start gap-4 lg:grid-cols-[2fr_1fr]">
        <div className="grid gap-4">
          <RequirementList rules={policy.rules} />
          <SettingList policy={policy} />
        </div>
        <div className="grid gap-4">
          <Scope policy={policy} />
          <About policy={policy} />
        </div>
      </div>
    </div>
  )
}

function SettingList({ policy }: { readonly policy: Policy }) {
  const settings = settingsOf(policy)
  if (settings.length === 0) return null
  return (
    <Card title="Settings">
      <Facts facts={settings.map(([name, value]) => [settingWords[name], settingText(value)])} />
    </Card>
  )
}

const figures = [
  ['Compliant', 'compliant'],
  ['Not compliant', 'non_compliant'],
  ['Error', 'error'],
  ['Pending', 'pending'],
  ['Exempt', 'exempt'],
] as const

function Summary({ policy: { id, counts } }: { readonly policy: Policy }) {
  const numbers = { ...counts, non_compliant: counts.nonCompliant }
  return (
    <div className="grid gap-3">
      <Figures
        figures={figures.map(([label, status]) => [
          label,
          numbers[status] === 0 ? (
            '0'
          ) : (
            <Link
              key={status}
              to="/policies/$policyId"
              params={{ policyId: id }}
              search={({ org, site }) => ({ org, site, tab: 'compliance' as const, status })}
              className="rounded hover:text-accent-text hover:underline"
            >
              {count(numbers[status])}
            </Link>
          ),
        ])}
      />
      <ComplianceBar counts={counts} />
    </div>
  )
}

function Scope({ policy: { assignments, exclude, osTypes, filter, counts } }: { readonly policy: Policy }) {
  const conditions = conditionsIn(filter ?? undefined)
  return (
    <Card title="Devices">
      <Facts
        onlyKnown
        facts={[
          ['Assigned to', <AssignmentList key="to" of={assignments} none="No devices yet" />],
          ['Excluded', exclude.length > 0 ? <AssignmentList key="not" of={exclude} /> : null],
          ['Systems', systemsText(osTypes)],
          ['Filter', conditions > 0 ? `Only devices that match ${many(conditions, 'condition')}` : null],
          ['Not applicable', counts.notApplicable > 0 ? many(counts.notApplicable, 'device') : null],
        ]}
      />
    </Card>
  )
}

function About({ policy }: { readonly policy: Policy }) {
  const { orgId, mode, priority, createdBy, createdAt, updatedAt } = policy
  const nameOf = useUserNames(orgId ?? undefined)
  return (
    <Card title="Details">
      <Facts
        onlyKnown
        facts={[
          ['Owner', <OrganizationLink key="org" orgId={orgId} />],
          ['Mode', modeHints[mode]],
          ['Priority', priority],
          ['Created by', createdBy && nameOf(createdBy)],
          ['Created', <Moment key="created" at={createdAt} />],
          ['Updated', <Moment key="updated" at={updatedAt} />],
        ]}
      />
    </Card>
  )
}
