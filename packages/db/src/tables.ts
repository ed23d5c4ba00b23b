// Written by `npm run tables` from the migrated database. Do not edit.
import type { Generated, JsonColumn, JsonListColumn, Nullable } from './json.ts'

export interface AccessReviewItems {
  id: Generated<string>
  reviewId: string
  partnerId: string
  orgId: string | null
  membershipId: string
  memberOrgId: string | null
  memberOrgName: string | null
  userId: string
  userEmail: string
  userName: string
  roleId: string
  roleName: string
  orgAccess: 'all' | 'selected' | 'none' | null
  orgIds: string[] | null
  siteIds: string[] | null
  deviceGroupIds: string[] | null
  lastLoginAt: string | null
  memberSince: string
  decision: Generated<'pending' | 'approved' | 'revoked'>
  reason: string | null
  decidedBy: string | null
  decidedAt: string | null
  outcome: 'kept' | 'revoked' | 'gone' | null
}

export interface AccessReviews {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  name: string
  description: string | null
  status: Generated<'open' | 'overdue' | 'completed'>
  includesOrganizations: Generated<boolean>
  dueAt: string
  createdBy: string
  remindedAt: string | null
  completedAt: string | null
  completedBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface AgentRollouts {
  id: Generated<string>
  version: string
  stages: number[]
  stage: Generated<number>
  state: Generated<'running' | 'paused' | 'halted' | 'completed' | 'cancelled'>
  successPercent: number
  stageSeconds: number
  errorPercent: number
  errorsAccepted: Generated<number>
  reason: string | null
  stageAt: Generated<string>
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface AgentUpdateStop {
  id: Generated<boolean>
  stopped: Generated<boolean>
  reason: string | null
  byUser: string | null
  at: Generated<string>
}

export interface AgentVersionPins {
  id: Generated<string>
  orgId: string
  partnerId: string
  siteId: string | null
  groupId: string | null
  version: string | null
  reason: string | null
  createdBy: string | null
  createdAt: Generated<string>
}

export interface AgentVersions {
  id: Generated<string>
  version: string
  kind: Generated<'agent' | 'helper'>
  os: 'linux' | 'darwin' | 'windows'
  arch: 'x64' | 'arm64'
  source: 'upstream' | 'local'
  url: string | null
  sha256: string
  size: number
  candidate: boolean
  notes: string | null
  releasedAt: string | null
  createdAt: Generated<string>
}

export interface AlertChannelUses {
  channelId: string
  partnerId: string
  orgId: string | null
  usedBy: string
}

export interface AlertChannels {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  name: string
  type: 'email' | 'slack' | 'teams' | 'webhook' | 'pagerduty' | 'sms'
  enabled: Generated<boolean>
  sendResolved: Generated<boolean>
  config: JsonColumn
  secrets: string | null
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
  secretFields: string[]
}

export interface AlertGroupMembers {
  groupId: string
  alertId: string
  partnerId: string
  orgId: string
  toldFlapping: Generated<boolean>
}

export interface AlertGroupSteps {
  groupId: string
  loop: number
  step: number
  partnerId: string
  orgId: string | null
  queuedAt: Generated<string>
}

export interface AlertGroups {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  policyId: string | null
  key: string
  openedAt: Generated<string>
  stoppedAt: string | null
  closedAt: string | null
  notifiedAt: string | null
  notifyAt: string | null
  stepAt: string | null
  repeatAt: string | null
  dueAt: string | null
  step: Generated<number>
  loop: Generated<number>
  loopBeganAt: Generated<string>
  messages: Generated<number>
}

export interface AlertListening {
  id: Generated<boolean>
  listenedAt: string
}

export interface AlertMessages {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  groupId: string
  channelId: string
  key: string
  kind: 'alert' | 'escalation' | 'resolved' | 'repeat'
  step: number | null
  title: string
  severity: 'critical' | 'high' | 'medium' | 'low' | 'info'
  at: Generated<string>
  held: Generated<boolean>
  digest: Generated<boolean>
  alertIds: string[] | null
  recipient: string | null
  skipped: Generated<boolean>
}

export interface AlertOutages {
  beganAt: string
  endedAt: string
}

export interface AlertPolicies {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  name: string
  enabled: Generated<boolean>
  position: Generated<number>
  match: Generated<JsonColumn>
  groupBy: Generated<string[]>
  groupWaitSeconds: Generated<number>
  groupIntervalSeconds: Generated<number>
  repeatIntervalSeconds: Generated<number>
  steps: Generated<JsonListColumn>
  loops: Generated<number>
  continues: Generated<boolean>
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface AlertRules {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  name: string
  enabled: Generated<boolean>
  severity: 'critical' | 'high' | 'medium' | 'low' | 'info'
  targetSetId: string
  conditions: JsonColumn
  kind: string
  forSeconds: Generated<number>
  clearForSeconds: Generated<number>
  autoResolve: Generated<boolean>
  reopenSeconds: Generated<number>
  title: string | null
  message: string | null
  channelIds: Generated<string[]>
  policyId: string | null
  dependsOnRuleIds: Generated<string[]>
  snoozedUntil: string | null
  templateId: string | null
  parameters: Generated<JsonColumn>
  version: Generated<number>
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
  conditionSetId: string | null
  overrides: Generated<string[]>
}

export interface AlertStates {
  ruleId: string
  deviceId: string
  partnerId: string
  orgId: string
  phase: 'pending' | 'firing' | 'clearing'
  since: string
}

export interface AlertTemplates {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  key: string
  category: string
  name: string
  description: string | null
  severity: 'critical' | 'high' | 'medium' | 'low' | 'info'
  conditions: JsonColumn
  forSeconds: number
  clearForSeconds: number
  autoResolve: boolean
  reopenSeconds: number
  title: string | null
  message: string | null
  parameters: JsonColumn
  createdAt: Generated<string>
  updatedAt: Generated<string>
  channelIds: Generated<string[]>
  policyId: string | null
  dependsOnRuleIds: Generated<string[]>
}

export interface AlertTimeline {
  id: Generated<string>
  alertId: string
  partnerId: string
  orgId: string
  at: Generated<string>
  kind: 'opened' | 'repeated' | 'reopened' | 'acknowledged' | 'suppressed' | 'activated' | 'resolved' | 'cleared' | 'message'
  actorId: string | null
  actorName: string | null
  note: string | null
  details: Generated<JsonColumn>
}

export interface Alerts {
  id: Generated<string>
  partnerId: string
  orgId: string
  siteId: string | null
  deviceId: string | null
  ruleId: string | null
  ruleVersion: number | null
  monitorId: string | null
  source: 'rule' | 'monitor' | 'maintenance' | 'script' | 'policy' | 'snmp' | 'patch' | 'software' | 'security' | 'sla' | 'system' | 'automation'
  key: string
  severity: 'critical' | 'high' | 'medium' | 'low' | 'info'
  status: Generated<'active' | 'acknowledged' | 'suppressed' | 'resolved'>
  title: string
  message: string
  context: Generated<JsonColumn>
  holds: Generated<boolean>
  autoResolve: Generated<boolean>
  reopenSeconds: Generated<number>
  openedAt: Generated<string>
  lastChangedAt: Generated<string>
  acknowledgedAt: string | null
  acknowledgedBy: string | null
  acknowledgedUntil: string | null
  resolvedAt: string | null
  resolvedBy: string | null
  resolution: 'auto' | 'manual' | 'rule_changed' | 'rule_disabled' | 'rule_deleted' | 'device_removed' | null
  suppressedUntil: string | null
  suppressionKind: 'maintenance' | 'dependency' | 'user' | 'rule' | null
  suppressionId: string | null
  suppressionReason: string | null
  releasedAt: string | null
  channelIds: Generated<string[]>
  policyId: string | null
  occurrences: Generated<number>
  flapping: Generated<boolean>
  groupId: string | null
}

export interface ApiKeys {
  id: Generated<string>
  partnerId: string | null
  orgId: string | null
  userId: string
  scope: 'system' | 'partner' | 'organization'
  name: string
  prefix: string
  keyHash: string
  previousHash: string | null
  previousExpiresAt: string | null
  scopes: string[]
  allowedAddresses: Generated<string[]>
  requestsPerMinute: Generated<number>
  expiresAt: string
  lastUsedAt: string | null
  lastUsedIp: string | null
  revokedAt: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface AuditChains {
  chainId: string
  partnerId: string | null
  sequence: number
  hash: Buffer
  updatedAt: Generated<string>
}

export interface AuditHeads {
  id: Generated<string>
  chainId: string
  partnerId: string | null
  kind: Generated<'head' | 'floor'>
  sequence: number
  hash: Buffer
  at: string
  keyId: string
  publicKey: string
  signature: string
}

export interface AuditLogs {
  id: Generated<string>
  at: Generated<string>
  partnerId: string | null
  orgId: string | null
  actorType: 'user' | 'api-key' | 'agent' | 'system' | 'anonymous'
  actorId: string | null
  actorEmail: string | null
  action: string
  resourceType: string
  resourceId: string | null
  resourceName: string | null
  result: Generated<'success' | 'failure' | 'denied'>
  details: Generated<JsonColumn>
  changedFields: string[] | null
  ipAddress: string | null
  userAgent: string | null
  requestId: string | null
  chainSequence: number | null
  chainPrevious: Buffer | null
  chainHash: Buffer | null
  words: Generated<string>
}

export interface AutomationReports {
  id: Generated<number>
  partnerId: string
  orgId: string | null
  runId: string
  step: number
  deviceId: string | null
  attempt: number
  error: string | null
}

export interface AutomationRunDevices {
  runId: string
  deviceId: string
  automationId: string
  partnerId: string
  orgId: string | null
  status: Generated<'running' | 'succeeded' | 'failed' | 'skipped'>
  reason: string | null
  startedAt: Generated<string>
}

export interface AutomationRuns {
  id: Generated<string>
  automationId: string
  partnerId: string
  orgId: string | null
  triggeredBy: 'schedule' | 'event' | 'webhook' | 'manual'
  triggerKey: string
  status: Generated<'queued' | 'running' | 'completed' | 'partial' | 'failed' | 'cancelled' | 'skipped'>
  reason: string | null
  dryRun: Generated<boolean>
  plan: Nullable<JsonColumn>
  chain: Generated<string[]>
  event: Nullable<JsonColumn>
  body: Nullable<JsonColumn>
  deviceIds: string[] | null
  requestedBy: string | null
  step: Generated<number>
  dueAt: string | null
  failures: Generated<number>
  log: Generated<JsonListColumn>
  createdAt: Generated<string>
  startedAt: string | null
  finishedAt: string | null
}

export interface AutomationStepDevices {
  id: Generated<string>
  runId: string
  step: number
  deviceId: string | null
  partnerId: string
  orgId: string | null
  status: Generated<'planned' | 'pending' | 'running' | 'succeeded' | 'failed' | 'skipped'>
  attempt: Generated<number>
  dueAt: string | null
  beganAt: string | null
  commandId: string | null
  reported: 'succeeded' | 'failed' | null
  error: string | null
  detail: Nullable<JsonColumn>
}

export interface AutomationSteps {
  runId: string
  number: number
  partnerId: string
  orgId: string | null
  type: string
  status: Generated<'planned' | 'running' | 'succeeded' | 'partial' | 'failed' | 'skipped'>
  startedAt: Generated<string>
  finishedAt: string | null
}

export interface AutomationWorks {
  automationId: string
  number: number
  partnerId: string
  orgId: string | null
  hash: string
  work: JsonColumn
  scriptId: string | null
}

export interface Automations {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  name: string
  description: string | null
  enabled: boolean
  status: 'enabled' | 'disabled' | 'awaiting_approval' | 'tripped'
  statusReason: string | null
  revision: Generated<number>
  triggerType: 'schedule' | 'event' | 'webhook' | 'manual'
  eventType: string | null
  trigger: JsonColumn
  conditions: Nullable<JsonColumn>
  actions: JsonColumn
  onFailure: 'stop' | 'continue' | 'notify'
  overlap: 'skip' | 'queue' | 'parallel'
  maxDevicesPerRun: number
  maxRunsPerHour: number
  cooldownSeconds: number
  respectMaintenance: boolean
  secret: string | null
  previousSecret: string | null
  previousUntil: string | null
  ownerId: string
  ownedAs: JsonColumn
  nextRunAt: string | null
  lastRunAt: string | null
  countedFrom: Generated<string>
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface CommandApprovals {
  id: Generated<string>
  orgId: string | null
  partnerId: string | null
  requestedBy: string
  requestedAs: JsonColumn
  type: string
  payload: JsonColumn
  timeoutMs: number | null
  expiresInSeconds: number | null
  deviceIds: string[]
  hash: string
  requestKey: string | null
  status: Generated<'pending' | 'approved' | 'refused' | 'withdrawn' | 'expired'>
  decidedBy: string | null
  decidedAt: string | null
  reason: string | null
  batchId: string | null
  createdAt: Generated<string>
  expiresAt: string
  respectMaintenance: Generated<boolean>
  subject: Nullable<JsonColumn>
  deviceEnv: Nullable<JsonColumn>
  plan: Nullable<JsonColumn>
}

export interface CommandStops {
  id: Generated<string>
  partnerId: string | null
  byScope: 'partner' | 'system'
  reason: string
  byUser: string | null
  at: Generated<string>
}

export interface CustomFields {
  id: Generated<string>
  orgId: string | null
  partnerId: string
  key: string
  label: string
  description: string | null
  type: 'text' | 'number' | 'boolean' | 'time' | 'choice'
  options: Generated<string[]>
  required: Generated<boolean>
  defaultValue: Nullable<JsonColumn>
  scriptWritable: Generated<boolean>
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface Deliveries {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  lane: string
  key: string
  payload: JsonColumn
  status: Generated<'pending' | 'delivering' | 'succeeded' | 'failed' | 'canceled'>
  tries: Generated<number>
  nextAttemptAt: string | null
  attempts: Generated<JsonListColumn>
  createdAt: Generated<string>
  beganAt: Generated<string>
  endedAt: string | null
}

export interface DeliveryLanes {
  lane: string
  partnerId: string
  orgId: string | null
  kind: string
  concurrency: number
  spacingMs: Generated<number>
  dueAt: Generated<string>
  notBefore: Generated<string>
  lastsMs: number | null
  failures: Generated<number>
  failingSince: string | null
  lastSuccessAt: string | null
  lastError: string | null
}

export interface DeploymentBatches {
  deploymentId: string
  number: number
  partnerId: string
  orgId: string | null
  devices: number
  beganAt: string | null
  settledAt: string | null
  endedAt: string | null
  gates: Generated<JsonListColumn>
}

export interface DeploymentDevices {
  deploymentId: string
  deviceId: string
  partnerId: string
  orgId: string
  batch: number
  place: number
  status: Generated<'pending' | 'held' | 'queued' | 'succeeded' | 'failed' | 'skipped' | 'cancelled' | 'expired'>
  reason: string | null
  attempt: Generated<number>
  commandId: string | null
  issuedAt: string | null
  exitCode: number | null
  error: string | null
  notBefore: string | null
  accepted: Generated<boolean>
  unread: Generated<boolean>
  updatedAt: Generated<string>
}

export interface Deployments {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  name: string
  description: string | null
  ordered: JsonColumn
  targetSetId: string
  strategy: JsonColumn
  status: Generated<'draft' | 'ready' | 'awaiting_approval' | 'scheduled' | 'running' | 'paused' | 'halted' | 'completed' | 'cancelled'>
  reason: string | null
  revision: Generated<number>
  startAt: string | null
  deadlineAt: string | null
  work: Nullable<JsonColumn>
  ownerId: string | null
  ownedAs: Nullable<JsonColumn>
  statusBefore: string | null
  currentBatch: Generated<number>
  nextAt: string | null
  startedAt: string | null
  endedAt: string | null
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
  origin: Nullable<JsonColumn>
}

export interface DeviceAssignments {
  deviceId: string
  kind: 'rules' | 'monitors' | 'facts'
  orgId: string
  partnerId: string
  items: JsonColumn
  revision: Generated<number>
  appliedRevision: Generated<number>
  dueAt: string | null
  tries: Generated<number>
  updatedAt: Generated<string>
}

export interface DeviceChanges {
  seq: Generated<number>
  deviceId: string
  orgId: string
  partnerId: string
  fields: string[]
  at: Generated<string>
}

export interface DeviceCommands {
  id: Generated<string>
  deviceId: string
  orgId: string
  partnerId: string
  type: string
  payload: Generated<JsonColumn>
  status: Generated<'pending' | 'sent' | 'running' | 'completed' | 'failed' | 'timed_out' | 'cancelled' | 'expired'>
  result: Nullable<JsonColumn>
  exitCode: number | null
  stdout: string | null
  stderr: string | null
  error: string | null
  timeoutMs: number
  createdBy: string | null
  createdAt: Generated<string>
  sentAt: string | null
  startedAt: string | null
  finishedAt: string | null
  expiresAt: string
  updatedAt: Generated<string>
  batchId: string | null
  requestKey: string | null
  scriptGrant: string | null
  origin: Nullable<JsonColumn>
  secretIds: Nullable<JsonColumn>
}

export interface DeviceDuplicates {
  deviceId: string
  twinId: string
  orgId: string
  partnerId: string
  noticedAt: Generated<string>
  dismissedAt: string | null
  dismissedBy: string | null
}

export interface DeviceFacts {
  deviceId: string
  factKey: string
  orgId: string
  partnerId: string
  value: Nullable<JsonColumn>
  error: string | null
  observedAt: string | null
}

export interface DeviceGroupLog {
  id: Generated<string>
  groupId: string
  deviceId: string
  orgId: string
  partnerId: string
  action: 'added' | 'removed' | 'pinned' | 'unpinned'
  reason: 'manual' | 'filter' | 'moved' | 'decommissioned'
  actorId: string | null
  at: Generated<string>
}

export interface DeviceGroupMembers {
  groupId: string
  deviceId: string
  orgId: string
  partnerId: string
  pinned: Generated<boolean>
  addedAt: Generated<string>
}

export interface DeviceGroups {
  id: Generated<string>
  orgId: string
  partnerId: string
  siteId: string | null
  name: string
  description: string | null
  type: Generated<'static' | 'dynamic'>
  filter: Nullable<JsonColumn>
  fieldsUsed: Generated<string[]>
  evaluatedAt: string | null
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface DeviceInventory {
  deviceId: string
  orgId: string
  partnerId: string
  hash: string
  collectedAt: string
  hardware: Generated<JsonColumn>
  disks: Generated<JsonListColumn>
  network: Generated<JsonListColumn>
  software: Generated<JsonListColumn>
  services: Generated<JsonListColumn>
  users: Generated<JsonListColumn>
  updatedAt: Generated<string>
  system: Generated<JsonColumn>
}

export interface DeviceInventoryLog {
  id: Generated<string>
  deviceId: string
  orgId: string
  partnerId: string
  at: string
  section: 'hardware' | 'disks' | 'network' | 'software' | 'services' | 'users' | 'system' | 'drivers' | 'updates' | 'features'
  action: 'added' | 'removed' | 'changed'
  name: string
  before: Nullable<JsonColumn>
  after: Nullable<JsonColumn>
}

export interface DeviceMetrics {
  at: string
  deviceId: string
  orgId: string
  partnerId: string
  bootId: number
  sequence: number
  cpuPercent: number | null
  memoryUsed: number | null
  memoryTotal: number | null
  diskUsed: number | null
  diskTotal: number | null
  load1m: number | null
  uptimeSeconds: number | null
  networkRxBytes: number | null
  networkTxBytes: number | null
  processCount: number | null
}

export interface DeviceMetricsFiveMinutes {
  at: string
  deviceId: string
  orgId: string
  partnerId: string
  samples: number
  cpuPercent: number | null
  cpuPercentMax: number | null
  memoryUsed: number | null
  memoryUsedMax: number | null
  memoryTotal: number | null
  diskUsed: number | null
  diskUsedMax: number | null
  diskTotal: number | null
  load1m: number | null
  load1mMax: number | null
  uptimeSeconds: number | null
  networkRxBytes: number | null
  networkTxBytes: number | null
  processCount: number | null
  processCountMax: number | null
}

export interface DeviceMetricsHours {
  at: string
  deviceId: string
  orgId: string
  partnerId: string
  samples: number
  cpuPercent: number | null
  cpuPercentMax: number | null
  memoryUsed: number | null
  memoryUsedMax: number | null
  memoryTotal: number | null
  diskUsed: number | null
  diskUsedMax: number | null
  diskTotal: number | null
  load1m: number | null
  load1mMax: number | null
  uptimeSeconds: number | null
  networkRxBytes: number | null
  networkTxBytes: number | null
  processCount: number | null
  processCountMax: number | null
}

export interface DevicePolicies {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  name: string
  description: string | null
  status: Generated<'draft' | 'active' | 'inactive' | 'awaiting_approval'>
  mode: Generated<'monitor' | 'warn' | 'enforce'>
  priority: Generated<number>
  osTypes: Generated<string[]>
  rules: Generated<JsonListColumn>
  targetSetId: string
  revision: Generated<number>
  queuedRevision: Generated<number>
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
  deletedAt: string | null
  settings: Generated<JsonColumn>
  maxRemediationsPerHour: Generated<number>
}

export interface DevicePolicyDays {
  orgId: string
  partnerId: string
  day: string
  compliant: number
  nonCompliant: number
  error: number
  pending: number
  exempt: number
  notApplicable: number
}

export interface DevicePolicyEnforcements {
  policyId: string
  partnerId: string
  orgId: string | null
  ownerId: string
  ownedAs: JsonColumn
  works: JsonColumn
  held: 'mass_change' | 'owner_not_permitted' | null
  releasedAt: Generated<string>
  issuedAt: Generated<string[]>
}

export interface DevicePolicyExceptions {
  id: Generated<string>
  policyId: string
  partnerId: string
  orgId: string
  deviceId: string | null
  groupId: string | null
  ruleKey: string | null
  reason: string
  expiresAt: string | null
  endedAt: string | null
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface DevicePolicyFilters {
  policyId: string
  ruleKey: string
  partnerId: string
  orgId: string | null
  targetSetId: string
}

export interface DevicePolicyMarks {
  seq: Generated<number>
  deviceId: string
  orgId: string
  partnerId: string
  part: 'place' | 'system' | 'software' | 'disks' | 'filter' | 'facts' | 'exceptions' | 'all'
  at: Generated<string>
}

export interface DevicePolicyRemediations {
  policyId: string
  deviceId: string
  ruleKey: string
  orgId: string
  partnerId: string
  runId: Generated<string>
  revision: number
  state: Generated<'pending' | 'running' | 'held' | 'remediation_failed'>
  attempts: Generated<number>
  nextAt: string | null
  reason: string | null
  commandId: string | null
  deploymentId: string | null
}

export interface DevicePolicyResults {
  policyId: string
  deviceId: string
  orgId: string
  partnerId: string
  status: 'non_compliant' | 'error' | 'pending' | 'exempt'
  since: Generated<string>
  findings: Generated<JsonListColumn>
  alerted: Generated<boolean>
}

export interface DevicePolicySets {
  id: Generated<string>
  orgId: string
  partnerId: string
  hash: string
  applied: string[]
  skipped: string[]
  effects: JsonColumn
  usedAt: Generated<string>
}

export interface DevicePolicyStates {
  deviceId: string
  orgId: string
  partnerId: string
  setId: string | null
  placedAt: Generated<string>
  evaluatedAt: Generated<string>
}

export interface DevicePolicyTransitions {
  id: Generated<string>
  policyId: string
  deviceId: string
  orgId: string
  partnerId: string
  at: Generated<string>
  before: 'compliant' | 'non_compliant' | 'error' | 'pending' | 'exempt' | 'not_applicable'
  after: 'compliant' | 'non_compliant' | 'error' | 'pending' | 'exempt' | 'not_applicable'
  findings: Generated<JsonListColumn>
}

export interface DeviceReach {
  userId: string
  deviceId: string
  at: Generated<string>
}

export interface DeviceSettings {
  deviceId: string
  orgId: string
  partnerId: string
  heartbeatSeconds: number | null
  autoUpdate: boolean | null
  scriptsAllowed: boolean | null
  ownAutoUpdate: boolean
  dueAt: string | null
}

export interface DeviceState {
  deviceId: string
  orgId: string
  partnerId: string
  status: Generated<'online' | 'offline' | 'updating'>
  statusAt: Generated<string>
  node: string | null
  lastSeenAt: string | null
  bootId: Generated<number>
  sequence: Generated<number>
  cpuPercent: number | null
  memoryUsed: number | null
  memoryTotal: number | null
  diskUsed: number | null
  diskTotal: number | null
  load1m: number | null
  uptimeSeconds: number | null
  networkRxBytes: number | null
  networkTxBytes: number | null
  processCount: number | null
  watchdogSeenAt: string | null
  watchdogStatus: 'connected' | 'disconnected' | 'failover' | null
  mainAgentSilentSince: string | null
  updatingSince: string | null
  watchdogNode: string | null
  remoteAddress: string | null
}

export interface DeviceUpdates {
  deviceId: string
  orgId: string
  partnerId: string
  version: string
  rolloutId: string | null
  offers: Generated<number>
  offeredAt: string | null
  nextOfferAt: string | null
  state: Generated<'offered' | 'downloading' | 'verifying' | 'installing' | 'restarting' | 'confirmed' | 'rolled_back' | 'refused'>
  reason: string | null
  error: string | null
  fromVersion: string | null
  reportedAt: string | null
  barred: Generated<string[]>
}

export interface DeviceWatches {
  deviceId: string
  userId: string
  orgId: string
  partnerId: string
  createdAt: Generated<string>
}

export interface Devices {
  id: Generated<string>
  orgId: string
  partnerId: string
  siteId: string | null
  hostname: string
  displayName: string | null
  lifecycle: Generated<'provisioned' | 'active' | 'quarantined' | 'decommissioned'>
  osType: 'linux' | 'windows' | 'macos' | null
  osName: string | null
  osVersion: string | null
  kernelVersion: string | null
  architecture: string | null
  agentVersion: string | null
  autoUpdate: Generated<boolean>
  machineId: string | null
  publicKey: string | null
  keyGeneration: Generated<number>
  tags: Generated<string[]>
  inventoryHash: string | null
  enrollmentKeyId: string | null
  enrolledAt: string | null
  decommissionedAt: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
  customFields: Generated<JsonColumn>
  watchdogPublicKey: string | null
  quarantinedAt: string | null
  quarantineReason: string | null
  agentProtocol: number | null
  capabilities: string | null
  sealingKey: string | null
}

export interface EnrollmentCodes {
  id: Generated<string>
  keyId: string
  orgId: string
  partnerId: string
  codeHash: string
  usageCount: Generated<number>
  maxUsage: number | null
  expiresAt: string
  createdBy: string | null
  createdAt: Generated<string>
}

export interface EnrollmentKeys {
  id: Generated<string>
  orgId: string
  partnerId: string
  siteId: string | null
  name: string
  keyHash: string
  keyPrefix: string
  usageCount: Generated<number>
  maxUsage: number | null
  expiresAt: string | null
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
  deviceId: string | null
}

export interface EventCursors {
  follower: string
  cluster: string
  tx: string
  seq: number
  seen: number
  readAt: Generated<string>
  batchMax: number | null
  failures: Generated<number>
  retryAt: string | null
  error: string | null
  beganAfter: string | null
}

export interface EventFailures {
  id: Generated<string>
  follower: string
  eventId: string
  type: string
  partnerId: string
  orgId: string | null
  deviceId: string | null
  error: string
  failedAt: Generated<string>
}

export interface Events {
  seq: Generated<number>
  tx: Generated<string>
  id: Generated<string>
  type: string
  partnerId: string
  orgId: string | null
  siteId: string | null
  deviceId: string | null
  data: Generated<JsonColumn>
  at: Generated<string>
  storedAt: Generated<string>
  cause: Nullable<JsonColumn>
}

export interface Files {
  id: string
  partnerId: string | null
  orgId: string | null
  purpose: string
  ownerId: string | null
  name: string
  contentType: string
  storageKey: string
  size: number | null
  sha256: string | null
  state: Generated<'pending' | 'ready' | 'deleted'>
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
  expiresAt: string | null
}

export interface IdempotentRequests {
  caller: string
  operation: string
  key: string
  userId: string
  inputHash: string
  acted: Generated<boolean>
  answer: string | null
  createdAt: Generated<string>
}

export interface LateMetrics {
  id: Generated<number>
  at: string
}

export interface MailOutbox {
  id: Generated<string>
  partnerId: string | null
  orgId: string | null
  toAddress: string
  template: string
  data: Generated<JsonColumn>
  createdAt: Generated<string>
  sentAt: string | null
  attempts: Generated<number>
  lastError: string | null
  nextAttemptAt: Generated<string>
  failedAt: string | null
}

export interface MaintenanceOccurrences {
  id: Generated<string>
  windowId: string
  partnerId: string
  orgId: string | null
  timezone: string
  localStart: string
  startsAt: string
  endsAt: string
  startedAt: string | null
  endedAt: string | null
  status: Generated<'scheduled' | 'active' | 'completed' | 'cancelled'>
  endedBy: 'time' | 'person' | 'cancel' | null
  deviceCount: number | null
  suppressed: Generated<JsonColumn>
  onlineAtStart: string[] | null
  notReturned: Generated<string[]>
  returnChecked: Generated<boolean>
}

export interface MaintenanceWindows {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  name: string
  description: string | null
  startsAt: string
  timezone: string
  durationMinutes: number
  rrule: string | null
  exDates: Generated<string[]>
  effects: JsonColumn
  verifyReturn: Generated<boolean>
  targetSetId: string
  status: Generated<'scheduled' | 'active' | 'completed' | 'cancelled'>
  zones: Generated<string[]>
  fallbackZone: Generated<string>
  scheduledUntil: Generated<string>
  continues: Generated<boolean>
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
  begunAt: string | null
}

export interface MetricRollups {
  resolution: 'five_minutes' | 'hours'
  doneUntil: string
}

export interface Migrations {
  name: string
  checksum: string
  appliedAt: Generated<string>
}

export interface MonitorAlerts {
  id: Generated<string>
  monitorId: string
  partnerId: string
  orgId: string
  condition: 'offline' | 'degraded' | 'responseTime' | 'certificate' | 'noProbe'
  threshold: number | null
  consecutive: Generated<number>
  severity: 'critical' | 'high' | 'medium' | 'low' | 'info'
  channelIds: Generated<string[]>
  policyId: string | null
  enabled: Generated<boolean>
  counted: Generated<number>
  firing: Generated<boolean>
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface MonitorProbes {
  monitorId: string
  deviceId: string
  partnerId: string
  orgId: string
  verdict: Generated<'unknown' | 'online' | 'degraded' | 'offline'>
  failing: Generated<number>
  reason: string | null
  observedAt: string | null
  unableUntil: string | null
}

export interface MonitorResults {
  monitorId: string
  deviceId: string
  partnerId: string
  orgId: string
  at: string
  state: 'ok' | 'degraded' | 'failed' | 'unknown'
  rounds: number
  failed: number
  answered: number
  minMs: number | null
  maxMs: number | null
  sumMs: number | null
  reason: string | null
}

export interface MonitorRollups {
  monitorId: string
  seconds: number
  at: string
  partnerId: string
  orgId: string
  rounds: number
  failed: number
  answered: number
  minMs: number | null
  maxMs: number | null
  sumMs: number | null
}

export interface MonitorSpans {
  id: Generated<string>
  monitorId: string
  partnerId: string
  orgId: string
  status: 'unknown' | 'online' | 'degraded' | 'offline' | 'paused'
  reason: string | null
  beganAt: string
  endedAt: string | null
}

export interface Monitors {
  id: Generated<string>
  partnerId: string
  orgId: string
  siteId: string | null
  deviceId: string | null
  name: string
  type: 'ping' | 'tcp' | 'http' | 'dns'
  target: string
  config: JsonColumn
  secrets: string | null
  intervalSeconds: number
  timeoutSeconds: number
  retries: number
  degradedMs: number | null
  probes: number
  enabled: Generated<boolean>
  status: Generated<'unknown' | 'online' | 'degraded' | 'offline' | 'paused'>
  statusReason: string | null
  statusSince: Generated<string>
  lastCheckAt: string | null
  lastResponseMs: number | null
  certificateExpiresAt: string | null
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
  wantsProbes: Generated<boolean>
}

export interface NotificationPreferences {
  userId: string
  muted: Generated<string[]>
  minPriority: Generated<'low' | 'normal' | 'high' | 'urgent'>
}

export interface Notifications {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  userId: string
  key: string
  type: 'alert' | 'device' | 'script' | 'automation' | 'system' | 'security' | 'ticket'
  priority: 'low' | 'normal' | 'high' | 'urgent'
  title: string
  body: Generated<string>
  link: Nullable<JsonColumn>
  count: Generated<number>
  readAt: string | null
  createdAt: Generated<string>
}

export interface OneTimeTokens {
  id: Generated<string>
  purpose: 'reset-password' | 'verify-email'
  userId: string
  tokenHash: string
  expiresAt: string
  usedAt: string | null
  createdAt: Generated<string>
  email: string
  handed: Generated<boolean>
}

export interface OrganizationUsers {
  id: Generated<string>
  orgId: string
  partnerId: string
  userId: string
  roleId: string
  siteIds: string[] | null
  deviceGroupIds: string[] | null
  createdAt: Generated<string>
  status: Generated<'invited' | 'active' | 'disabled'>
  displayName: string | null
  acceptedAt: string | null
  updatedAt: Generated<string>
  vouchedAt: string | null
  invitedBy: string | null
  grantedBy: string | null
  grantedAt: string | null
}

export interface Organizations {
  id: Generated<string>
  partnerId: string
  name: string
  slug: string
  type: Generated<'customer' | 'internal'>
  status: Generated<'active' | 'suspended' | 'trial' | 'churned'>
  maxDevices: number | null
  settings: Generated<JsonColumn>
  ssoConfig: Generated<JsonColumn>
  contractStart: string | null
  contractEnd: string | null
  billingContact: Generated<JsonColumn>
  createdAt: Generated<string>
  updatedAt: Generated<string>
  deletedAt: string | null
}

export interface PartnerUsers {
  id: Generated<string>
  partnerId: string
  userId: string
  roleId: string
  orgAccess: Generated<'all' | 'selected' | 'none'>
  orgIds: Generated<string[]>
  createdAt: Generated<string>
  status: Generated<'invited' | 'active' | 'disabled'>
  displayName: string | null
  acceptedAt: string | null
  updatedAt: Generated<string>
  vouchedAt: string | null
  invitedBy: string | null
  grantedBy: string | null
  grantedAt: string | null
}

export interface Partners {
  id: Generated<string>
  name: string
  slug: string
  type: Generated<'msp' | 'enterprise' | 'internal'>
  plan: Generated<'free' | 'starter' | 'community' | 'pro' | 'enterprise' | 'unlimited'>
  status: Generated<'pending' | 'active' | 'suspended' | 'churned'>
  maxOrganizations: number | null
  maxDevices: number | null
  settings: Generated<JsonColumn>
  ssoConfig: Generated<JsonColumn>
  billingEmail: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
  deletedAt: string | null
}

export interface Passkeys {
  id: Generated<string>
  userId: string
  credentialId: string
  publicKey: Buffer
  counter: Generated<number>
  transports: Generated<string[]>
  backedUp: Generated<boolean>
  name: string
  createdAt: Generated<string>
  lastUsedAt: string | null
  providerId: string | null
}

export interface Permissions {
  id: Generated<string>
  resource: string
  action: string
  description: Generated<string>
}

export interface PlanGrants {
  id: string
  partnerId: string
  orgId: string | null
  kind: 'deployment' | 'automation' | 'policy'
  planId: string
  work: string
  deviceIds: string[] | null
  orgIds: string[] | null
  scriptGrant: string
  expiresAt: string
  createdAt: Generated<string>
}

export interface PlanReach {
  userId: string
  planId: string
  devices: number
  at: Generated<string>
}

export interface RolePermissions {
  roleId: string
  permissionId: string
  constraints: Nullable<JsonColumn>
}

export interface Roles {
  id: Generated<string>
  partnerId: string | null
  orgId: string | null
  parentRoleId: string | null
  scope: 'system' | 'partner' | 'organization'
  name: string
  description: string | null
  isSystem: Generated<boolean>
  forceMfa: Generated<boolean>
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface SavedFilters {
  id: Generated<string>
  orgId: string | null
  partnerId: string | null
  ownerId: string
  name: string
  description: string | null
  filter: JsonColumn
  shared: Generated<boolean>
  createdAt: Generated<string>
  updatedAt: Generated<string>
  view: Nullable<JsonColumn>
}

export interface ScimGroupMembers {
  providerId: string
  orgId: string
  partnerId: string
  roleId: string
  userId: string
}

export interface ScimGroups {
  providerId: string
  orgId: string
  partnerId: string
  roleId: string
  externalId: string | null
  madeHere: Generated<boolean>
  updatedAt: Generated<string>
}

export interface ScimUsers {
  providerId: string
  orgId: string
  partnerId: string
  userId: string
  userName: string
  externalId: string | null
  givenName: string | null
  familyName: string | null
  updatedAt: Generated<string>
}

export interface ScriptCategories {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  parentId: string | null
  name: string
  description: string | null
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface ScriptExecutions {
  id: Generated<string>
  partnerId: string
  orgId: string
  deviceId: string
  scriptId: string
  versionId: string
  version: number
  sha256: string
  commandId: string
  batchId: string | null
  parameters: JsonColumn
  severity: 'success' | 'info' | 'warning' | 'error' | 'critical' | null
  createdBy: string | null
  createdAt: Generated<string>
}

export interface ScriptTags {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  name: string
  description: string | null
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface ScriptVersions {
  id: Generated<string>
  scriptId: string
  partnerId: string
  orgId: string | null
  version: number
  sha256: string
  language: 'bash' | 'sh' | 'zsh' | 'python' | 'powershell' | 'cmd' | 'osascript'
  content: string
  parameters: JsonColumn
  args: JsonColumn
  runAs: 'system' | 'user'
  runAsUser: string | null
  timeoutSeconds: number
  comment: string | null
  status: 'approved' | 'pending_approval' | 'rejected'
  judgedBy: string | null
  judgedAt: string | null
  createdBy: string | null
  createdAt: Generated<string>
  warnings: Generated<JsonListColumn>
}

export interface Scripts {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  name: string
  description: string | null
  categoryId: string | null
  tags: Generated<string[]>
  osTypes: Generated<string[]>
  exitCodes: Generated<JsonColumn>
  sharedWithOrganizations: Generated<boolean>
  language: 'bash' | 'sh' | 'zsh' | 'python' | 'powershell' | 'cmd' | 'osascript'
  version: number
  versionId: string
  approvedVersionId: string | null
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
  deletedAt: string | null
  originId: string | null
  originVersion: number | null
}

export interface Secrets {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  siteId: string | null
  name: string
  description: string | null
  sealed: string
  sharedWithOrganizations: Generated<boolean>
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface Sessions {
  id: Generated<string>
  userId: string
  tokenHash: string
  mfa: Generated<boolean>
  ipAddress: string | null
  userAgent: string | null
  expiresAt: string
  revokedAt: string | null
  createdAt: Generated<string>
  scope: 'system' | 'partner' | 'organization' | null
  partnerId: string | null
  orgId: string | null
  method: Generated<'password' | 'totp' | 'sms' | 'recovery' | 'passkey' | 'sso' | 'operator'>
  authenticatedAt: Generated<string>
  lastUsedAt: Generated<string>
  endsAt: Generated<string>
  providerId: string | null
  providerMfa: Generated<boolean>
}

export interface Sites {
  id: Generated<string>
  orgId: string
  partnerId: string
  name: string
  address: Generated<JsonColumn>
  timezone: Generated<string>
  contact: Generated<JsonColumn>
  settings: Generated<JsonColumn>
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface SsoIdentities {
  id: Generated<string>
  providerId: string
  orgId: string
  partnerId: string
  userId: string
  issuer: string
  subject: string
  email: string
  createdAt: Generated<string>
  lastLoginAt: string | null
}

export interface SsoProviders {
  id: Generated<string>
  orgId: string
  partnerId: string
  name: string
  type: Generated<'oidc' | 'saml'>
  preset: string | null
  status: Generated<'active' | 'inactive' | 'testing'>
  issuer: string
  clientId: string
  clientSecret: string | null
  scopes: Generated<string>
  attributeMapping: Generated<JsonColumn>
  autoProvision: Generated<boolean>
  defaultRoleId: string | null
  allowedDomains: Generated<string>
  enforceSso: Generated<boolean>
  trustMfa: Generated<boolean>
  scimTokenHash: string | null
  scimTokenPrefix: string | null
  scimTokenCreatedAt: string | null
  scimPreviousHash: string | null
  scimPreviousExpiresAt: string | null
  scimLastUsedAt: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
  provenAt: string | null
}

export interface StreamPositions {
  stream: string
  entryId: string
  updatedAt: Generated<string>
}

export interface SystemScripts {
  id: string
  key: string
  version: number
  name: string
  description: string
  category: string
  tags: string[]
  osTypes: string[]
  language: 'bash' | 'sh' | 'zsh' | 'python' | 'powershell' | 'cmd' | 'osascript'
  content: string
  sha256: string
  parameters: JsonColumn
  args: JsonColumn
  runAs: 'system' | 'user'
  timeoutSeconds: number
  exitCodes: JsonColumn
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface SystemUsers {
  id: Generated<string>
  userId: string
  roleId: string
  createdAt: Generated<string>
  invitedBy: string | null
  grantedBy: string | null
  grantedAt: string | null
}

export interface TargetFilterMembers {
  setId: string
  deviceId: string
  orgId: string
  partnerId: string
}

export interface TargetSets {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  everything: boolean
  deviceIds: Generated<string[]>
  groupIds: Generated<string[]>
  orgIds: Generated<string[]>
  siteIds: Generated<string[]>
  tags: Generated<string[]>
  excludeDeviceIds: Generated<string[]>
  excludeGroupIds: Generated<string[]>
  excludeOrgIds: Generated<string[]>
  excludeSiteIds: Generated<string[]>
  excludeTags: Generated<string[]>
  filter: Nullable<JsonColumn>
  fieldsUsed: Generated<string[]>
}

export interface UsedRefreshTokens {
  tokenHash: string
  sessionId: string
  salt: string
  usedAt: string
}

export interface UserInvitations {
  id: Generated<string>
  userId: string
  partnerId: string
  orgId: string | null
  tokenHash: string
  expiresAt: string
  createdBy: string | null
  createdAt: Generated<string>
  email: string
  handedHash: string | null
  issuedAt: Generated<string>
}

export interface Users {
  id: Generated<string>
  email: string
  name: string
  passwordHash: string | null
  mfaSecret: string | null
  mfaEnabled: Generated<boolean>
  mfaMethod: 'totp' | 'sms' | null
  mfaRecoveryCodes: Generated<JsonListColumn>
  phoneNumber: string | null
  phoneVerified: Generated<boolean>
  status: Generated<'active' | 'invited' | 'disabled'>
  avatarUrl: string | null
  lastLoginAt: string | null
  passwordChangedAt: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
  mfaLastStep: number | null
  emailVerifiedAt: string | null
  factorsProviderId: string | null
}

export interface Webhooks {
  id: Generated<string>
  partnerId: string
  orgId: string | null
  name: string
  url: string
  events: string[]
  filter: Generated<JsonColumn>
  headerNames: Generated<string[]>
  headers: string | null
  secret: string
  previousSecret: string | null
  previousUntil: string | null
  concurrency: Generated<number>
  status: Generated<'active' | 'disabled'>
  disabledReason: string | null
  createdBy: string | null
  createdAt: Generated<string>
  updatedAt: Generated<string>
}

export interface Tables {
  accessReviewItems: AccessReviewItems
  accessReviews: AccessReviews
  agentRollouts: AgentRollouts
  agentUpdateStop: AgentUpdateStop
  agentVersionPins: AgentVersionPins
  agentVersions: AgentVersions
  alertChannelUses: AlertChannelUses
  alertChannels: AlertChannels
  alertGroupMembers: AlertGroupMembers
  alertGroupSteps: AlertGroupSteps
  alertGroups: AlertGroups
  alertListening: AlertListening
  alertMessages: AlertMessages
  alertOutages: AlertOutages
  alertPolicies: AlertPolicies
  alertRules: AlertRules
  alertStates: AlertStates
  alertTemplates: AlertTemplates
  alertTimeline: AlertTimeline
  alerts: Alerts
  apiKeys: ApiKeys
  auditChains: AuditChains
  auditHeads: AuditHeads
  auditLogs: AuditLogs
  automationReports: AutomationReports
  automationRunDevices: AutomationRunDevices
  automationRuns: AutomationRuns
  automationStepDevices: AutomationStepDevices
  automationSteps: AutomationSteps
  automationWorks: AutomationWorks
  automations: Automations
  commandApprovals: CommandApprovals
  commandStops: CommandStops
  customFields: CustomFields
  deliveries: Deliveries
  deliveryLanes: DeliveryLanes
  deploymentBatches: DeploymentBatches
  deploymentDevices: DeploymentDevices
  deployments: Deployments
  deviceAssignments: DeviceAssignments
  deviceChanges: DeviceChanges
  deviceCommands: DeviceCommands
  deviceDuplicates: DeviceDuplicates
  deviceFacts: DeviceFacts
  deviceGroupLog: DeviceGroupLog
  deviceGroupMembers: DeviceGroupMembers
  deviceGroups: DeviceGroups
  deviceInventory: DeviceInventory
  deviceInventoryLog: DeviceInventoryLog
  deviceMetrics: DeviceMetrics
  deviceMetricsFiveMinutes: DeviceMetricsFiveMinutes
  deviceMetricsHours: DeviceMetricsHours
  devicePolicies: DevicePolicies
  devicePolicyDays: DevicePolicyDays
  devicePolicyEnforcements: DevicePolicyEnforcements
  devicePolicyExceptions: DevicePolicyExceptions
  devicePolicyFilters: DevicePolicyFilters
  devicePolicyMarks: DevicePolicyMarks
  devicePolicyRemediations: DevicePolicyRemediations
  devicePolicyResults: DevicePolicyResults
  devicePolicySets: DevicePolicySets
  devicePolicyStates: DevicePolicyStates
  devicePolicyTransitions: DevicePolicyTransitions
  deviceReach: DeviceReach
  deviceSettings: DeviceSettings
  deviceState: DeviceState
  deviceUpdates: DeviceUpdates
  deviceWatches: DeviceWatches
  devices: Devices
  enrollmentCodes: EnrollmentCodes
  enrollmentKeys: EnrollmentKeys
  eventCursors: EventCursors
  eventFailures: EventFailures
  events: Events
  files: Files
  idempotentRequests: IdempotentRequests
  lateMetrics: LateMetrics
  mailOutbox: MailOutbox
  maintenanceOccurrences: MaintenanceOccurrences
  maintenanceWindows: MaintenanceWindows
  metricRollups: MetricRollups
  migrations: Migrations
  monitorAlerts: MonitorAlerts
  monitorProbes: MonitorProbes
  monitorResults: MonitorResults
  monitorRollups: MonitorRollups
  monitorSpans: MonitorSpans
  monitors: Monitors
  notificationPreferences: NotificationPreferences
  notifications: Notifications
  oneTimeTokens: OneTimeTokens
  organizationUsers: OrganizationUsers
  organizations: Organizations
  partnerUsers: PartnerUsers
  partners: Partners
  passkeys: Passkeys
  permissions: Permissions
  planGrants: PlanGrants
  planReach: PlanReach
  rolePermissions: RolePermissions
  roles: Roles
  savedFilters: SavedFilters
  scimGroupMembers: ScimGroupMembers
  scimGroups: ScimGroups
  scimUsers: ScimUsers
  scriptCategories: ScriptCategories
  scriptExecutions: ScriptExecutions
  scriptTags: ScriptTags
  scriptVersions: ScriptVersions
  scripts: Scripts
  secrets: Secrets
  sessions: Sessions
  sites: Sites
  ssoIdentities: SsoIdentities
  ssoProviders: SsoProviders
  streamPositions: StreamPositions
  systemScripts: SystemScripts
  systemUsers: SystemUsers
  targetFilterMembers: TargetFilterMembers
  targetSets: TargetSets
  usedRefreshTokens: UsedRefreshTokens
  userInvitations: UserInvitations
  users: Users
  webhooks: Webhooks
}
