import { hasKey, keyBelow, machineKey, valueAt } from './registry-reading.ts'

const currentVersion = 'SOFTWARE\\Microsoft\\Windows\\CurrentVersion'
const control = 'SYSTEM\\CurrentControlSet\\Control'
const names = `${control}\\ComputerName`

/** Why Windows wants a restart, from the places where its parts note it. */
export function pendingRestart(): string[] {
  const activeName = valueAt(machineKey(`${names}\\ActiveComputerName`), 'ComputerName')
  const nextName = valueAt(machineKey(`${names}\\ComputerName`), 'ComputerName')
  const renames = valueAt(machineKey(`${control}\\Session Manager`), 'PendingFileRenameOperations')
  const reasons: [isPending: boolean, reason: string][] = [
    [hasKey(machineKey(`${currentVersion}\\Component Based Servicing\\RebootPending`)), 'parts of Windows'],
    [hasKey(machineKey(`${currentVersion}\\WindowsUpdate\\Auto Update\\RebootRequired`)), 'Windows Update'],
    [hasPendingJoin(), 'the domain'],
    [activeName !== undefined && nextName !== undefined && activeName !== nextName, 'the computer name'],
    [Array.isArray(renames) && renames.length > 0, 'files in use'],
  ]
  return reasons.flatMap(([isPending, reason]) => (isPending ? [reason] : []))
}

/** Noted as a key by some versions of Windows, as a value by others. */
function hasPendingJoin(): boolean {
  const netlogon = machineKey('SYSTEM\\CurrentControlSet\\Services\\Netlogon')
  return ['JoinDomain', 'AvoidSpnSet'].some(
    (name) => hasKey(keyBelow(netlogon, name)) || valueAt(netlogon, name) !== undefined,
  )
}
