import tseslint from 'typescript-eslint';

const style = [
  { selector: 'TSEnumDeclaration', message: 'Use a union of string literals instead of an enum.' },
  {
    selector: 'ExportDefaultDeclaration',
    message: 'Use a named export: the name then is the same everywhere.',
  },
  { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that defines it.' },
];

// The domain and the workflows are pure: what reaches the world is imported by name elsewhere, where it is checked.
const worldly = ['process', 'Buffer', 'console', 'fetch', 'XMLHttpRequest', 'WebSocket', 'require'];

export default tseslint.config(
  { ignores: ['node_modules/', 'dist/', 'coverage/', '.tmp/', 'test/histories/', 'test/fixtures/'] },
  // A rule that is in the way is changed here, for all to see, never switched off in a file.
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'no-restricted-syntax': ['error', ...style],
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Type aliases for unions and interfaces for records are both good here.
      '@typescript-eslint/consistent-type-definitions': 'off',
      // tsconfig has noPropertyAccessFromIndexSignature, which wants the brackets that this rule removes.
      '@typescript-eslint/dot-notation': 'off',
    },
  },
  {
    files: ['src/domain/**/*.ts', 'src/workflows/**/*.ts'],
    rules: { 'no-restricted-globals': ['error', ...worldly] },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // Mocha's `this.timeout()` needs functions, and an async test without an await is still a test.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
  {
    files: ['script/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
