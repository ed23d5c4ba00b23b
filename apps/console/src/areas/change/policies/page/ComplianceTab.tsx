import type { Policy } from '@muster/areas/change/device-policies/policies.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { MonitorSmartphone } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../../../shell/place.ts'
import { Button } from '../../../../ui/button/Button.tsx'
import { RowMenu } from '../../../../ui/button/RowMenu.tsx'
import { Confirm } from '../../../../ui/dialog/Confirm.tsx'
import { SearchField } from '../../../../ui/form/SearchField.tsx'
import { Select } from '../../../../ui/form/Select.tsx'
import { ListTable, Tools } from '../../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../../ui/list/NoRows.tsx'
import { useList } from '../../../../ui/list/useList.ts'
import { toastError } from '../../../../ui/page/states.tsx'
import type { Column } from '../../../../ui/table/DataTable.tsx'
import { Ago } from '../../../../ui/text/time.tsx'
import { organizationColumn } from '../../../tenancy/tenancy/placeColumns.tsx'
import { ComplianceBadge, complianceOptions, RemediationBadge } from '../words.tsx'
import { DeviceDialog } from './DeviceDialog.tsx'
import type { DeviceRow } from './deviceRow.ts'
import { ExceptionForm } from './ExceptionForm.tsx'
import { failedText } from './FailedRules.tsx'
import { useEvaluation } from './useEvaluation.ts'
import { useRemediation } from './useRemediation.ts'

interface Props {
  readonly policy: Policy
  readonly mayWrite: string | undefined
}
type Shown = { readonly what: 'details' | 'exception'; readonly row: DeviceRow } | null

/** The devices of a policy: which comply, since when, and what is wrong. */
export function ComplianceTab({ policy, mayWrite }: Props) {
  const { q, status } = useSearch({ from: '/app/policies/$policyId' })
  const navigate = useNavigate({ from: '/policies/$policyId' })
  const narrow = (next: { q?: string | undefined; status?: DeviceRow['status'] | undefined }) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const { org } = usePlace()
  const [shown, setShown] = useState<Shown>(null)
  const evaluation = useEvaluation(policy.id)
  const remediation = useRemediation(policy.id)
  const [isRemediating, setRemediating] = useState(false)
  const list = useList(
    (client) => client.policies.compliance.list,
    { id: policy.id, ...(q && { search: q }), ...(status && { status: [status] }), ...(org && { orgId: org }) },
    { everyMs: 5_000 },
  )
  const notActive = policy.status === 'active' ? undefined : 'The policy is not active'
  const isRepairable = policy.rules.some((rule) => rule.remediation !== null)
  const acts = {
    open: (row: DeviceRow) => setShown({ what: 'details', row }),
    exempt: (row: DeviceRow) => setShown({ what: 'exception', row }),
    evaluate: ({ deviceId }: DeviceRow) => evaluation.mutate([deviceId], { onError: toastError }),
    remediate: ({ deviceId }: DeviceRow) => remediation.mutate([deviceId], { onError: toastError }),
    mayEvaluate: mayWrite ?? notActive,
    mayRemediate: mayWrite ?? notActive ?? (isRepairable ? undefined : 'No rule has a remediation'),
    mayWrite,
  }
  return (
    <>
      <Tools>
        <SearchField label="Search devices" placeholder="Host name" value={q} change={(text) => narrow({ q: text })} />
        <Select
          label="Status"
          none="All statuses"
          value={status}
          options={complianceOptions}
          choose={(next) => narrow({ status: next })}
        />
        <span className="flex-1" />
        <Button
          blocked={acts.mayEvaluate}
          busy={evaluation.isPending}
          onClick={() => evaluation.mutate(undefined, { onError: toastError })}
        >
          Evaluate now
        </Button>
        {isRepairable && (
          <Button blocked={acts.mayRemediate} onClick={() => setRemediating(true)}>
            Remediate
          </Button>
        )}
      </Tools>
      <ListTable
        label="Compliance of devices"
        list={list}
        columns={columnsWith(acts)}
        rowId={({ deviceId }) => deviceId}
        empty={
          <NoRows
            icon={MonitorSmartphone}
            title={policy.status === 'active' ? 'No devices' : 'Not evaluated'}
            clear={(q || status) && (() => narrow({ q: undefined, status: undefined }))}
          >
            {policy.status === 'active'
              ? 'No device within your reach is assigned to the policy.'
              : 'Activate the policy to evaluate its devices.'}
          </NoRows>
        }
      />
      <Confirm
        open={isRemediating}
        close={() => setRemediating(false)}
        title={`Remediate “${policy.name}”?`}
        verb="Remediate"
        act={() => remediation.mutateAsync(undefined)}
      >
        The remediations of its rules are sent to all devices that do not keep them. A policy that is held goes on.
      </Confirm>
      {shown?.what === 'details' && (
        <DeviceDialog
          row={shown.row}
          mayWrite={mayWrite}
          exempt={() => acts.exempt(shown.row)}
          close={() => setShown(null)}
        />
      )}
      {shown?.what === 'exception' && <ExceptionForm policy={policy} device={shown.row} close={() => setShown(null)} />}
    </>
  )
}

interface Acts {
  readonly mayEvaluate: string | undefined
  readonly mayRemediate: string | undefined
  readonly mayWrite: string | undefined
  open(row: DeviceRow): void
  remediate(row: DeviceRow): void
  exempt(row: DeviceRow): void
  evaluate(row: DeviceRow): void
}

const columnsWith = ({ mayEvaluate, mayRemediate, mayWrite, ...acts }: Acts): readonly Column<DeviceRow>[] => [
  {
    id: 'device',
    header: 'Device',
    width: 160,
    grow: 1,
    cell: ({ deviceId, hostname }) => (
      <Link to="/devices/$deviceId" params={{ deviceId }} className="rounded font-medium hover:underline">
        {hostname}
      </Link>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: 140,
    pinned: true,
    cell: ({ status }) => <ComplianceBadge status={status} />,
  },
  {
    id: 'failed',
    header: 'Failed rules',
    width: 220,
    grow: 3,
    cell: (row) =>
      row.failed.length === 0 ? (
        <span className="text-muted">–</span>
      ) : (
        <button
          type="button"
          title={failedText(row.failed)}
          onClick={() => acts.open(row)}
          className="block max-w-full truncate rounded text-left hover:underline"
        >
          {failedText(row.failed)}
        </button>
      ),
  },
  { id: 'since', header: 'Since', width: 100, cell: ({ since }) => <Ago at={since} /> },
  {
    id: 'remediation',
    header: 'Remediation',
    width: 110,
    cell: ({ remediation }) => (remediation === null ? '–' : <RemediationBadge state={remediation.state} />),
  },
  {
    id: 'exception',
    header: 'Exception',
    width: 130,
    grow: 1,
    cell: ({ exception }) => <span title={exception?.reason}>{exception?.reason ?? '–'}</span>,
  },
  organizationColumn,
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (row) => (
      <RowMenu
        name={row.hostname}
        groups={[
          [
            { label: 'Show details', act: () => acts.open(row) },
            { label: 'Evaluate now', blocked: mayEvaluate, act: () => acts.evaluate(row) },
            { label: 'Remediate', blocked: mayRemediate, act: () => acts.remediate(row) },
            { label: 'Add exception', blocked: mayWrite, act: () => acts.exempt(row) },
          ],
        ]}
      />
    ),
  },
]
