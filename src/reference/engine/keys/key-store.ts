import type { AccountRecord, KeyRecord } from "./key-record.ts";

/** Keys and accounts; records are replaced, never changed in place. */
export interface KeyStore {
  list(): readonly KeyRecord[];
  accounts(): readonly AccountRecord[];
  byName(name: string): KeyRecord | undefined;
  byId(id: string): KeyRecord | undefined;
  bySecret(secret: string): KeyRecord | undefined;
  account(id: string): AccountRecord;
  /** Adds a key or replaces the one with this id. Name and secret must be free. */
  put(key: KeyRecord): void;
  putAccount(account: AccountRecord): void;
  /** Removes everything and takes these instead. */
  load(keys: readonly KeyRecord[], accounts: readonly AccountRecord[]): void;
}

export function createKeyStore(keys: readonly KeyRecord[], accounts: readonly AccountRecord[]): KeyStore {
  const byId = new Map<string, KeyRecord>();
  const byName = new Map<string, KeyRecord>();
  const bySecret = new Map<string, KeyRecord>();
  const accountById = new Map<string, AccountRecord>();

  const put = (key: KeyRecord): void => {
    if (!accountById.has(key.account)) throw new Error(`key ${key.name} names the unknown account ${key.account}`);
    for (const [index, value] of [
      [byName, key.name],
      [bySecret, key.secret],
    ] as const) {
      const holder = index.get(value);
      if (holder !== undefined && holder.id !== key.id)
        throw new Error(`key ${key.id} repeats the name or secret of ${holder.id}`);
    }
    const before = byId.get(key.id);
    if (before !== undefined) {
      byName.delete(before.name);
      bySecret.delete(before.secret);
    }
    byId.set(key.id, key);
    byName.set(key.name, key);
    bySecret.set(key.secret, key);
  };

  const load = (nextKeys: readonly KeyRecord[], nextAccounts: readonly AccountRecord[]): void => {
    for (const index of [byId, byName, bySecret, accountById]) index.clear();
    for (const account of nextAccounts) accountById.set(account.id, account);
    for (const key of nextKeys) put(key);
  };
  load(keys, accounts);

  return {
    list: () => [...byId.values()],
    accounts: () => [...accountById.values()],
    byName: (name) => byName.get(name),
    byId: (id) => byId.get(id),
    bySecret: (secret) => bySecret.get(secret),
    account: (id) => {
      const account = accountById.get(id);
      if (account === undefined) throw new Error(`unknown account ${id}`);
      return account;
    },
    put,
    putAccount: (account) => void accountById.set(account.id, account),
    load,
  };
}
