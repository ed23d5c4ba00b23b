import type { AlertRule } from '@muster/areas/watch/alerts/rules/rules.contract.ts'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { api } from '../../../api.ts'
import { useApiQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Card, Facts } from '../../../ui/page/display.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { PendingPage } from '../../../ui/page/PendingPage.tsx'
import { Moment } from '../../../ui/text/time.tsx'
import { capital } from '../../../ui/text/words.ts'
import { TargetSummary } from '../../fleet/targets/TargetSummary.tsx'
import { OrganizationLink } from '../../tenancy/tenancy/PlaceLinks.tsx'
import { SeverityBadge } from '../alerts/status.tsx'
import { conditionsText, lengthText } from '../conditions/words.ts'
import { Backtest } from './Backtest.tsx'
import { fieldWords } from './behavior.ts'
import { OpenAlertsLink, RuleState } from './RuleState.tsx'
import { isSnoozed } from './snooze.ts'
import { useRecipientFacts } from './useRecipientFacts.ts'
import { useRuleActs } from './useRuleActs.tsx'
import { useTemplates } from './useTemplates.ts'

const up = { label: 'Rules', to: '/alerts/rules' } as const

/** One rule: what it asks, whom it tells, and what it would have done. */
export function RulePage() {
  const { ruleId } = useParams({ from: '/app/alerts/rules/$ruleId' })
  const answer = useApiQuery((api) => api.alerts.rules.get, { id: ruleId }, { everyMs: 15_000 })
  if (!answer.data) return <PendingPage title="Alert rule" up={up} answer={answer} />
  return <Sheet rule={answer.data} />
}

function Sheet({ rule }: { readonly rule: AlertRule }) {
  const navigate = useNavigate()
  const acts = useRuleActs(() => void navigate({ to: '/alerts/rules' }))
  return (
    <Page
      title={rule.name}
      up={up}
      badge={
        <>
          <SeverityBadge severity={rule.severity} />
          <RuleState rule={rule} />
        </>
      }
      lead={conditionsText(rule.conditions)}
      actions={
        <>
          <Button kind="primary" blocked={acts.mayWrite} onClick={() => acts.open('edit', rule)}>
            Edit rule
          </Button>
          <RowMenu name={rule.name} groups={acts.groupsFor(rule)} />
        </>
      }
    >
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Behavior rule={rule} />
        <Recipients rule={rule} />
        <div className="lg:col-span-2">
          <Card title="Backtest">
            <Backtest run={(hours) => api.alerts.rules.test.query({ id: rule.id, hours })} />
          </Card>
        </div>
      </div>
      {acts.dialogs}
    </Page>
  )
}

function Behavior({ rule }: { readonly rule: AlertRule }) {
  const template = useTemplates().find(({ id }) => id === rule.templateId)
  return (
    <Card title="Details">
      <Facts
        onlyKnown
        facts={[
          ['Open alerts', <OpenAlertsLink key="open" rule={rule} />],
          ['Snoozed until', isSnoozed(rule) ? <Moment key="snoozed" at={rule.snoozedUntil} /> : null],
          ['Targets', <TargetSummary key="targets" targets={rule.targets} exclude={rule.exclude} />],
          ['Organization', <OrganizationLink key="org" orgId={rule.orgId} />],
          ['Opens after', rule.forSeconds === 0 ? 'At once' : lengthText(rule.forSeconds)],
          ['Clears after', rule.clearForSeconds === 0 ? 'At once' : lengthText(rule.clearForSeconds)],
          ['Resolves', rule.autoResolve ? 'When the condition ends' : 'By hand'],
          ['Reopens within', lengthText(rule.reopenSeconds)],
          ['Alert title', rule.title],
          ['Alert message', rule.message],
          ['Template', template?.name],
          ['Own values', template && capital(rule.overrides.map((name) => fieldWords[name] ?? name).join(', '))],
          ['Version', rule.version],
        ]}
      />
    </Card>
  )
}

function Recipients({ rule }: { readonly rule: AlertRule }) {
  return (
    <Card
      title="Recipients"
      actions={
        <Link
          to="/alerts/policies"
          search={({ org, site }) => ({ org, site, tab: 'preview' as const })}
          className="rounded text-accent-text text-sm"
        >
          Who would hear what
        </Link>
      }
    >
      <Facts facts={useRecipientFacts(rule)} />
    </Card>
  )
}
