import { Link } from '@tanstack/react-router'
import { Button, buttonClass } from '../../../../ui/button/Button.tsx'
import { Dialog } from '../../../../ui/dialog/Dialog.tsx'
import { Facts } from '../../../../ui/page/display.tsx'
import { Moment } from '../../../../ui/text/time.tsx'
import { ComplianceBadge, RemediationBadge } from '../words.tsx'
import type { DeviceRow } from './deviceRow.ts'
import { FailedRules } from './FailedRules.tsx'

interface Props {
  readonly row: DeviceRow
  readonly mayWrite: string | undefined
  exempt(): void
  close(): void
}

/** What a policy found on one device. */
export function DeviceDialog({ row, mayWrite, exempt, close }: Props) {
  const { deviceId, hostname, status, since, failed, exception, remediation } = row
  return (
    <Dialog
      open
      wide
      title={hostname}
      close={close}
      actions={
        <>
          <Link to="/devices/$deviceId" params={{ deviceId }} search={{ tab: 'policies' }} className={buttonClass()}>
            Policies of the device
          </Link>
          <Button kind="primary" blocked={mayWrite} onClick={exempt}>
            Add exception
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <Facts
          onlyKnown
          facts={[
            ['Status', <ComplianceBadge key="status" status={status} />],
            ['Since', <Moment key="since" at={since} />],
            ['Remediation', remediation && <RemediationBadge key="state" state={remediation.state} />],
            ['Attempts', remediation?.attempts],
            ['Next attempt', remediation?.nextAt && <Moment key="next" at={remediation.nextAt} />],
            ['Exception', exception?.reason],
            ['Exception ends', exception && <Moment key="ends" at={exception.expiresAt} />],
          ]}
        />
        {failed.length > 0 && <FailedRules of={failed} />}
      </div>
    </Dialog>
  )
}
