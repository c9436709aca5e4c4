/// The accounts that workers and processes transfer money between.
enum Bank {
  static let accounts = 200
  static let total = accounts * 1000
}
