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

export interface CommandApprovals {
  id: Generated<string>
  orgId: string | null
  partnerId: string | null
  requestedBy: string
  requestedAs: JsonColumn
  type: string
  payload: JsonColumn
  timeoutMs: number
  expiresInSeconds: number
  deviceIds: string[]
  hash: string
  requestKey: string | null
  status: Generated<'pending' | 'approved' | 'refused' | 'withdrawn'>
  decidedBy: string | null
  decidedAt: string | null
  reason: string | null
  batchId: string | null
  createdAt: Generated<string>
  expiresAt: string
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
}

export interface DeviceInventoryLog {
  id: Generated<string>
  deviceId: string
  orgId: string
  partnerId: string
  at: string
  section: 'hardware' | 'disks' | 'network' | 'software' | 'services' | 'users'
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

export interface DeviceReach {
  userId: string
  deviceId: string
  at: Generated<string>
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

export interface MetricRollups {
  resolution: 'five_minutes' | 'hours'
  doneUntil: string
}

export interface Migrations {
  name: string
  checksum: string
  appliedAt: Generated<string>
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

export interface SystemUsers {
  id: Generated<string>
  userId: string
  roleId: string
  createdAt: Generated<string>
  invitedBy: string | null
  grantedBy: string | null
  grantedAt: string | null
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

export interface Tables {
  accessReviewItems: AccessReviewItems
  accessReviews: AccessReviews
  agentRollouts: AgentRollouts
  agentUpdateStop: AgentUpdateStop
  agentVersionPins: AgentVersionPins
  agentVersions: AgentVersions
  apiKeys: ApiKeys
  auditChains: AuditChains
  auditHeads: AuditHeads
  auditLogs: AuditLogs
  commandApprovals: CommandApprovals
  commandStops: CommandStops
  customFields: CustomFields
  deviceCommands: DeviceCommands
  deviceDuplicates: DeviceDuplicates
  deviceGroupLog: DeviceGroupLog
  deviceGroupMembers: DeviceGroupMembers
  deviceGroups: DeviceGroups
  deviceInventory: DeviceInventory
  deviceInventoryLog: DeviceInventoryLog
  deviceMetrics: DeviceMetrics
  deviceMetricsFiveMinutes: DeviceMetricsFiveMinutes
  deviceMetricsHours: DeviceMetricsHours
  deviceReach: DeviceReach
  deviceState: DeviceState
  deviceUpdates: DeviceUpdates
  devices: Devices
  enrollmentCodes: EnrollmentCodes
  enrollmentKeys: EnrollmentKeys
  files: Files
  idempotentRequests: IdempotentRequests
  lateMetrics: LateMetrics
  mailOutbox: MailOutbox
  metricRollups: MetricRollups
  migrations: Migrations
  oneTimeTokens: OneTimeTokens
  organizationUsers: OrganizationUsers
  organizations: Organizations
  partnerUsers: PartnerUsers
  partners: Partners
  passkeys: Passkeys
  permissions: Permissions
  rolePermissions: RolePermissions
  roles: Roles
  savedFilters: SavedFilters
  scimGroupMembers: ScimGroupMembers
  scimGroups: ScimGroups
  scimUsers: ScimUsers
  sessions: Sessions
  sites: Sites
  ssoIdentities: SsoIdentities
  ssoProviders: SsoProviders
  streamPositions: StreamPositions
  systemUsers: SystemUsers
  usedRefreshTokens: UsedRefreshTokens
  userInvitations: UserInvitations
  users: Users
}
