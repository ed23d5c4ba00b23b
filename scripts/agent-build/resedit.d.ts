// The part that is used. The package's own types bring those of browsers with them.
interface Entry {
  type: string | number
  id: string | number
  lang: string | number
  codepage: string | number
  bin: ArrayBuffer
}
interface Language {
  lang: number
  codepage: number
}
interface VersionInfo {
  lang: string | number
  readonly fixedInfo: { readonly fileVersionMS: number; readonly fileVersionLS: number }
  getAllLanguagesForStringValues(): Language[]
  getStringValues(language: Language): Record<string, string>
  removeAllStringValues(language: Language): void
  setStringValues(language: Language, values: Record<string, string>): void
  setFileVersion(major: number, minor: number, patch: number, revision: number, lang: number): void
  setProductVersion(major: number, minor: number, patch: number, revision: number, lang: number): void
  outputToResourceEntries(entries: Entry[]): void
}
interface IconGroup {
  readonly id: string | number
  readonly lang: string | number
  readonly icons: readonly unknown[]
}
export declare class NtExecutable {
  static from(content: Uint8Array, options: { ignoreCert: boolean }): NtExecutable
  static createEmpty(is32Bit: boolean, isDll: boolean): NtExecutable
  generate(): ArrayBuffer
}
export declare class NtExecutableResource {
  static from(executable: NtExecutable): NtExecutableResource
  entries: Entry[]
  outputResource(executable: NtExecutable): void
}
export declare const Resource: {
  VersionInfo: { fromEntries(entries: readonly Entry[]): VersionInfo[] }
  IconGroupEntry: {
    fromEntries(entries: readonly Entry[]): IconGroup[]
    replaceIconsForResource(entries: Entry[], id: string | number, lang: string | number, icons: unknown[]): void
  }
}
export declare const Data: { IconFile: { from(content: Uint8Array): { icons: { data: unknown }[] } } }
